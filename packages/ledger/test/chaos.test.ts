import { bucketFromItem, type WindowType, type WireItem } from '@millrace/core';
import { findGaps, findMismatches, type StreamRecord, totalUsage, type UsageWindowItem } from '@millrace/ledger';
import { MemoryWindowStore } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { deliver } from './delivery.js';
import { Dice } from './dice.js';
import { StreamWorld, type Truth, TYPES, truthName, zoneOf } from './stream-world.js';

const SEEDS = 50;
const RECORDS = 5_000;
const FACTORS = [1, 4, 10] as const;
const MISHAPS = { crashes: 0.25, redeliveries: 0.05 };

/** What the windows say was used, by the same names as the truth; what they say nothing of is nothing. */
function told(windows: readonly UsageWindowItem[]): Truth {
  const sums: Truth = new Map();
  for (const window of windows) {
    const { bucket, type, startMs } = window.ref;
    for (const [limit, { used, returned }] of totalUsage([window])) {
      const name = truthName(bucket.namespaceId, bucket.entity, bucket.resource, type, startMs, limit);
      const sum = sums.get(name) ?? { used: 0n, returned: 0n };
      sums.set(name, { used: sum.used + used, returned: sum.returned + returned });
    }
  }
  return sums;
}

function differences(truth: Truth, windows: readonly UsageWindowItem[]): readonly string[] {
  const ledger = told(windows);
  const nothing = { used: 0n, returned: 0n };
  return [...new Set([...truth.keys(), ...ledger.keys()])].flatMap((name) => {
    const [mine, theirs] = [ledger.get(name) ?? nothing, truth.get(name) ?? nothing];
    const isSame = mine.used === theirs.used && mine.returned === theirs.returned;
    return isSame ? [] : [`${name}: ${mine.used}-${mine.returned} and not ${theirs.used}-${theirs.returned}`];
  });
}

/** Hours that do not add up to their day, week and month. */
function mismatches(windows: readonly UsageWindowItem[]): number {
  const count = (namespaceId: string, type: Exclude<WindowType, 'hour'>): number => {
    const of = (wanted: WindowType) => windows.filter(({ ref }) => ref.type === wanted && ref.bucket.namespaceId === namespaceId);
    return findMismatches(of('hour'), of(type), zoneOf(namespaceId), type).length;
  };
  return ['a', 'b', 'c'].reduce((sum, id) => sum + count(id, 'day') + count(id, 'week') + count(id, 'month'), 0);
}

describe(`${RECORDS} records of 37 buckets, delivered by a stream that crashes, halves, repeats and reorders`, () => {
  const met = { batches: 0, crashes: 0, bisections: 0, partials: 0, redeliveries: 0 };

  it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
    'make windows that are brute force to the token (seed %i)',
    async (seed) => {
      const world = new StreamWorld(new Dice(seed), RECORDS);
      let windows: readonly UsageWindowItem[] = [];

      for (const factor of FACTORS) {
        const store = new MemoryWindowStore();
        const counts = await deliver(world.records, store, new Dice(seed * 100 + factor), factor, MISHAPS);
        for (const name of Object.keys(met) as (keyof typeof met)[]) met[name] += counts[name];

        windows = store.windows();
        expect(differences(world.truth, windows), `factor ${factor}`).toEqual([]);
      }
      expect(findGaps(windows, 0)).toEqual([]);
      expect(mismatches(windows)).toBe(0);
    },
  );

  it('met what it was to meet', () => {
    console.info(`chaos: ${SEEDS} seeds x ${FACTORS.length} factors x ${RECORDS} records: ${JSON.stringify(met)}`);

    expect(met.crashes / met.batches).toBeGreaterThan(0.2);
    for (const count of [met.bisections, met.partials, met.redeliveries]) expect(count).toBeGreaterThan(SEEDS * FACTORS.length);
  });
});

describe('the comparison with brute force', () => {
  it('notices one record that is missing, and eras that nobody names', async () => {
    const world = new StreamWorld(new Dice(7), RECORDS);
    const deliverAll = async (records: StreamWorld['records']): Promise<number> => {
      const store = new MemoryWindowStore();
      await deliver(records, store, new Dice(1), 4, MISHAPS);
      return differences(world.truth, store.windows()).length;
    };
    const without = (attribute: string) =>
      world.records.map((record): StreamRecord => {
        const { [attribute]: _, ...newImage } = record.newImage ?? {};
        return record.newImage === undefined ? record : { ...record, newImage };
      });
    const last = world.records.filter(({ oldImage, newImage }) => oldImage?.['u.rpm'] !== undefined && isMoved(oldImage, newImage)).at(-1);

    expect(await deliverAll(world.records)).toBe(0);
    expect(await deliverAll(world.records.filter((record) => record !== last))).toBeGreaterThanOrEqual(4);
    expect(await deliverAll(without('o'))).toBeGreaterThan(0);
  });
});

function isMoved(oldImage: WireItem, newImage: WireItem | undefined): boolean {
  return newImage?.['u.rpm'] !== undefined && JSON.stringify(oldImage['u.rpm']) !== JSON.stringify(newImage['u.rpm']);
}

describe('the world of the chaos', () => {
  const world = new StreamWorld(new Dice(7), RECORDS);

  it('has all that buckets go through: births, expiry and births again, drops and limits that come back, shards', () => {
    const images = world.records.flatMap(({ newImage }) => (newImage === undefined ? [] : [bucketFromItem(newImage)]));
    const births = world.records.filter(({ oldImage }) => oldImage === undefined).length;

    expect(world.records.filter(({ isExpiry }) => isExpiry).length).toBeGreaterThan(20);
    expect(births).toBeGreaterThan(60);
    expect(images.filter(({ layout }) => layout !== undefined).length).toBeGreaterThan(500);
    expect(new Set(images.map(({ eraUs }) => eraUs)).size).toBeGreaterThan(100);
  });

  it('uses hours of all kinds: one that clocks show twice, the first of a month, the last of a week', () => {
    const named = [...world.truth.keys()].map((name) => name.split(' '));
    const hours = new Set(named.map(([, , , type, startMs]) => `${type} ${new Date(Number(startMs)).toISOString()}`));

    for (const text of ['hour 2026-10-25T00:00', 'hour 2026-10-25T01:00', 'hour 2026-10-25T22:00', 'hour 2026-10-31T23:00']) {
      expect([...hours].some((hour) => hour.startsWith(text))).toBe(true);
    }
    expect(TYPES.map((type) => [...hours].filter((hour) => hour.startsWith(type)).length > 1)).toEqual([true, true, true, true]);
  });
});
