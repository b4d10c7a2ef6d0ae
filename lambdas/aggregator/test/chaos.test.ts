import { findGaps } from '@millrace/ledger';
import { MemoryWindowStore } from '@millrace/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { deliverInChaos, nothingMet } from './chaos-delivery.js';
import { AddingStore, bruteForce, differences, type Totals, told, ZONE } from './chaos-totals.js';
import { itemName } from './lagging-stream.js';
import { type Recorded, recordStream } from './recorded-stream.js';

const SEEDS = 50;
const RECORDS = 5_000;
const BUCKETS = 37;
const LEAST_MET = 25;
/** In turns: the ledger's own chaos has each seed with each of them. Here the pump and the handler are in it, and take their time. */
const FACTORS = [1, 4, 10] as const;

describe(`${RECORDS} records of an engine's own stream, through the pump and the handler`, () => {
  let recorded: Recorded;
  let expected: Totals;
  const met = nothingMet();
  beforeAll(async () => {
    recorded = await recordStream(RECORDS, BUCKETS);
    expected = bruteForce(recorded.deeds);
  });

  it(`are a deed each, of ${BUCKETS} buckets, in several windows of each type`, () => {
    const starts = new Set([...expected.keys()].map((name) => name.split(' ').slice(-3, -1).join(' ')));
    const ofType = (type: string): number => [...starts].filter((start) => start.startsWith(type)).length;

    expect([recorded.records.length, recorded.deeds.length]).toEqual([RECORDS, RECORDS]);
    expect(new Set(recorded.records.map(itemName)).size).toBe(BUCKETS);
    expect([ofType('hour') > 100, ofType('day') >= 10, ofType('week') > 1, ofType('month') > 1]).toEqual([true, true, true, true]);
  });

  it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
    'make windows that are brute force to the token (seed %i)',
    async (seed) => {
      const store = new MemoryWindowStore();

      await deliverInChaos(recorded.records, store, ZONE, { seed, factor: FACTORS[seed % FACTORS.length] ?? 1, met });

      expect(differences(told(store.windows()), expected)).toEqual([]);
      expect(findGaps(store.windows(), 0)).toEqual([]);
    },
  );

  it('met, with all that, whatever may happen', () => {
    console.info(`chaos: ${SEEDS} seeds x ${RECORDS} records: ${JSON.stringify(met)}`);

    for (const [what, times] of Object.entries(met)) expect(times, what).toBeGreaterThan(LEAST_MET);
  });

  it('would be wrong in a ledger that adds what comes, and in one to which a record does not come', async () => {
    const [adding, lacking] = [new AddingStore(), new MemoryWindowStore()];
    const [, ...others] = recorded.records;
    await deliverInChaos(recorded.records, adding, ZONE, { seed: 1, factor: 4, met: nothingMet() });
    await deliverInChaos(others, lacking, ZONE, { seed: 1, factor: 4, met: nothingMet() });

    expect(differences(adding.totals, expected).length).toBeGreaterThan(100);
    expect(differences(told(lacking.windows()), expected)).toHaveLength(4 * 2);
  });
});
