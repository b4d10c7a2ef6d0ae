import { randomUUID } from 'node:crypto';
import type { WindowRef, WindowType } from '@millrace/core';
import type { LimitStep, UsageWindowItem, WindowChange, WindowStore } from '@millrace/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryWindowStore } from '../memory-window-store.js';
import { AWKWARD_NAMES } from './awkward-names.js';
import { type OpenStore, suiteStore } from './opened-store.js';

/** A store of windows, and how a test reads what it holds. */
export interface ReadableWindowStore extends WindowStore {
  read(ref: WindowRef): Promise<UsageWindowItem | undefined>;
}

const START_MS = 1_800_003_600_000;
const BASE = 1_800_000_000_000_000_000n;
const ERA_US = 1_800_000_000_000_000;

function freshRef(more: Partial<WindowRef['bucket']> = {}, type: WindowType = 'hour'): WindowRef {
  const bucket = { namespaceId: randomUUID().slice(0, 12), entity: 'window-entity', resource: 'window-resource', shard: 0, ...more };
  return { bucket, eraUs: ERA_US, type, startMs: START_MS };
}

/** A step of `used` alone, above the base of the counters. */
function step(from: number, to: number, isBirth = false): LimitStep {
  return { used: { from: BASE + BigInt(from), to: BASE + BigInt(to) }, returned: { from: BASE, to: BASE }, isBirth };
}

function changeOf(ref: WindowRef, seq: readonly [number, number], limits: Readonly<Record<string, LimitStep>>): WindowChange {
  return { ref, seq: { from: seq[0], to: seq[1] }, limits: new Map(Object.entries(limits)) };
}

/** Declares the tests that every store of usage windows has to pass. */
export function describeWindowStore(name: string, open: OpenStore<ReadableWindowStore>): void {
  describe(`${name}, a store of usage windows`, () => {
    const store = suiteStore(open);
    describeWidening(store);
    describeAnyOrder(store);
    describePlaces(store);
  });
}

function describeWidening(store: () => ReadableWindowStore): void {
  describe('a window', () => {
    it('is not there before anything is said of it', async () => {
      expect(await store().read(freshRef())).toBeUndefined();
    });

    it('holds what the first change says', async () => {
      const change = changeOf(freshRef(), [7, 8], { rpm: step(0, 5, true), tpm: step(0, 900, true) });

      expect(await store().widen(change)).toBe('written');
      expect(await store().read(change.ref)).toEqual(change);
    });

    it('goes on to the right, and keeps where it began', async () => {
      const ref = freshRef();
      await store().widen(changeOf(ref, [7, 8], { rpm: step(0, 5, true) }));

      expect(await store().widen(changeOf(ref, [8, 10], { rpm: step(5, 9), tpm: step(0, 3, true) }))).toBe('written');
      expect(await store().read(ref)).toEqual(changeOf(ref, [7, 10], { rpm: step(0, 9, true), tpm: step(0, 3, true) }));
    });

    it('goes on to the left: a late record brings its own beginning', async () => {
      const ref = freshRef();
      await store().widen(changeOf(ref, [8, 10], { rpm: step(5, 9) }));

      expect(await store().widen(changeOf(ref, [7, 8], { rpm: step(0, 5, true) }))).toBe('written');
      expect(await store().read(ref)).toEqual(changeOf(ref, [7, 10], { rpm: step(0, 9, true) }));
    });

    it('loses the sign of a birth with the beginning that it belonged to', async () => {
      const ref = freshRef();
      await store().widen(changeOf(ref, [8, 10], { rpm: step(5, 9, true) }));

      await store().widen(changeOf(ref, [7, 8], { rpm: step(3, 5) }));

      expect((await store().read(ref))?.limits.get('rpm')).toEqual(step(3, 9));
    });

    it('stays as it is when it knows all, and says so', async () => {
      const ref = freshRef();
      const whole = changeOf(ref, [7, 12], { rpm: step(0, 50, true), tpm: step(0, 3, true) });
      await store().widen(whole);

      for (const seq of [
        [7, 12],
        [8, 9],
        [11, 12],
      ] as const) {
        expect(await store().widen(changeOf(ref, seq, { rpm: step(20, 30) }))).toBe('known');
      }
      expect(await store().widen(whole)).toBe('known');
      expect(await store().read(ref)).toEqual(whole);
    });

    it('takes a limit of a record that is amid what it knows of others', async () => {
      const ref = freshRef();
      await store().widen(changeOf(ref, [7, 12], { rpm: step(0, 50, true) }));

      expect(await store().widen(changeOf(ref, [9, 10], { tpm: step(0, 3, true) }))).toBe('written');
      expect(await store().read(ref)).toEqual(changeOf(ref, [7, 12], { rpm: step(0, 50, true), tpm: step(0, 3, true) }));
    });

    it('is exact beyond 2^53', async () => {
      const ref = freshRef();
      const most = BigInt(Number.MAX_SAFE_INTEGER) * 9n;
      const large: LimitStep = { used: { from: BASE, to: BASE + most }, returned: { from: BASE, to: BASE + most - 1n }, isBirth: true };
      await store().widen(changeOf(ref, [7, 8], { rpm: large }));

      expect((await store().read(ref))?.limits.get('rpm')).toEqual(large);
    });
  });
}

/** Steps of a few writes in a row, of which any may come, in any order and more than once. */
const anySteps = fc.array(
  fc.record({ first: fc.nat({ max: 9 }), length: fc.integer({ min: 1, max: 4 }), limits: fc.subarray(['a', 'b', 'c'], { minLength: 1 }) }),
  { minLength: 1, maxLength: 12 },
);

function changesOf(
  ref: WindowRef,
  steps: readonly { first: number; length: number; limits: readonly string[] }[],
): readonly WindowChange[] {
  return steps.map(({ first, length, limits }) => {
    const to = first + length;
    const entry = (limit: string) => [limit, step(first * 10, to * 10, first === 0)] as const;
    return changeOf(ref, [ERA_US + first, ERA_US + to], Object.fromEntries(limits.map(entry)));
  });
}

function describeAnyOrder(store: () => ReadableWindowStore): void {
  describe('any changes', () => {
    it('make the same window as in the reference, in any order and however often', async () => {
      await fc.assert(
        fc.asyncProperty(anySteps, async (steps) => {
          const [ref, reference] = [freshRef(), new MemoryWindowStore()];
          for (const change of changesOf(ref, steps)) expect(await store().widen(change)).toBe(await reference.widen(change));
          expect(await store().read(ref)).toEqual(await reference.read(ref));
        }),
        { numRuns: 60 },
      );
    });

    it('make the same window when several processes say them at once', async () => {
      await fc.assert(
        fc.asyncProperty(anySteps, async (steps) => {
          const [ref, reference] = [freshRef(), new MemoryWindowStore()];
          const changes = changesOf(ref, steps).slice(0, 6);
          for (const change of changes) await reference.widen(change);
          await Promise.all(changes.map((change) => store().widen(change)));
          expect(await store().read(ref)).toEqual(await reference.read(ref));
        }),
        { numRuns: 30 },
      );
    });
  });
}

function describePlaces(store: () => ReadableWindowStore): void {
  describe('two windows', () => {
    it('that begin at the same midnight, an hour and a day, do not meet', async () => {
      const { bucket } = freshRef();
      const [hour, day] = [freshRef(bucket, 'hour'), freshRef(bucket, 'day')];
      await store().widen(changeOf(hour, [7, 8], { rpm: step(0, 5, true) }));
      await store().widen(changeOf(day, [7, 9], { rpm: step(0, 8, true) }));

      expect((await store().read(hour))?.limits.get('rpm')).toEqual(step(0, 5, true));
      expect((await store().read(day))?.limits.get('rpm')).toEqual(step(0, 8, true));
    });

    it('of shards, eras and neighbouring times do not meet', async () => {
      const first = freshRef();
      const refs = [
        first,
        { ...first, bucket: { ...first.bucket, shard: 1 } },
        { ...first, eraUs: 0 },
        { ...first, startMs: START_MS + 1_000 },
      ];
      const changes = refs.map((ref, index) => changeOf(ref, [7, 8], { rpm: step(0, index + 1, true) }));
      for (const change of changes) await store().widen(change);

      expect(await Promise.all(refs.map((ref) => store().read(ref)))).toEqual(changes);
    });

    it.each(AWKWARD_NAMES)('of entities and resources called %j and alike do not meet', async (name) => {
      const { namespaceId } = freshRef().bucket;
      const refs = [
        freshRef({ namespaceId, entity: name }),
        freshRef({ namespaceId, resource: name }),
        freshRef({ namespaceId, entity: name, resource: name }),
      ];
      const changes = refs.map((ref, index) => changeOf(ref, [7, 8], { rpm: step(0, index + 1, true) }));
      for (const change of changes) await store().widen(change);

      expect(await Promise.all(refs.map((ref) => store().read(ref)))).toEqual(changes);
    });
  });
}
