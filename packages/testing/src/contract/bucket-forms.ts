import { type BucketStore, counterBase, type Move } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_US, ScratchBucket } from './scratch-bucket.js';

const FAR_US = 10 ** 12;
const MOVE = { limit: 'rpm', tokens: 3, chargeUs: 500 } as const;
const BUSY: Move = { ...MOVE, form: 'busy', fromUs: NOW_US - 100, toUs: NOW_US + 100 };
const CHARGE: Move = { ...MOVE, form: 'busy', fromUs: NOW_US - 100 };
const IDLE: Move = { ...MOVE, form: 'idle', toUs: NOW_US };
const LARGE: Move = { ...IDLE, toUs: NOW_US - 100 };
const CREDIT: Move = { ...MOVE, form: 'credit' };
const REVIVE: Move = { form: 'revive', limit: 'rpm', tokens: 3 };

/** A form on a limit whose arrival time is `tatUs`, and where it leaves it; refused if it says nowhere. */
interface Case {
  readonly title: string;
  readonly move: Move;
  readonly tatUs: number;
  readonly nextUs?: number;
}

const CASES: readonly Case[] = [
  { title: 'busy at its lower bound', move: BUSY, tatUs: NOW_US - 100, nextUs: NOW_US + 400 },
  { title: 'busy one below its lower bound', move: BUSY, tatUs: NOW_US - 101 },
  { title: 'busy at its upper bound', move: BUSY, tatUs: NOW_US + 100, nextUs: NOW_US + 600 },
  { title: 'busy one above its upper bound', move: BUSY, tatUs: NOW_US + 101 },
  { title: 'busy far behind', move: BUSY, tatUs: NOW_US - FAR_US },
  { title: 'busy with bounds that meet', move: { ...BUSY, fromUs: NOW_US, toUs: NOW_US }, tatUs: NOW_US, nextUs: NOW_US + 500 },
  { title: 'busy with bounds that cross', move: { ...BUSY, fromUs: NOW_US, toUs: NOW_US - 1 }, tatUs: NOW_US },
  { title: 'busy without an upper bound, at its lower one', move: CHARGE, tatUs: NOW_US - 100, nextUs: NOW_US + 400 },
  { title: 'busy without an upper bound, one below its lower one', move: CHARGE, tatUs: NOW_US - 101 },
  { title: 'busy without an upper bound, far ahead', move: CHARGE, tatUs: NOW_US + FAR_US, nextUs: NOW_US + FAR_US + 500 },
  { title: 'idle at its bound', move: IDLE, tatUs: NOW_US, nextUs: NOW_US + 500 },
  { title: 'idle one below its bound', move: IDLE, tatUs: NOW_US - 1, nextUs: NOW_US + 500 },
  { title: 'idle one above its bound', move: IDLE, tatUs: NOW_US + 1 },
  { title: 'idle far behind', move: IDLE, tatUs: NOW_US - FAR_US, nextUs: NOW_US + 500 },
  { title: 'idle with a bound before now, at it', move: LARGE, tatUs: NOW_US - 100, nextUs: NOW_US + 500 },
  { title: 'idle with a bound before now, one above it', move: LARGE, tatUs: NOW_US - 99 },
  { title: 'credit of a busy limit', move: CREDIT, tatUs: NOW_US + 700, nextUs: NOW_US + 200 },
  { title: 'credit to below now', move: CREDIT, tatUs: NOW_US + 100, nextUs: NOW_US - 400 },
  { title: 'credit far below now', move: { ...CREDIT, chargeUs: FAR_US }, tatUs: NOW_US, nextUs: NOW_US - FAR_US },
  { title: 'credit to below zero', move: { ...CREDIT, chargeUs: NOW_US + 9 }, tatUs: NOW_US + 2, nextUs: -7 },
  { title: 'credit of a limit that is behind', move: CREDIT, tatUs: NOW_US - FAR_US, nextUs: NOW_US - FAR_US - 500 },
  { title: 'revive of a limit that is there', move: REVIVE, tatUs: NOW_US - FAR_US },
];

/** Each form alone, at its bounds and one off them, and where there is nothing yet. */
export function describeForms(store: () => BucketStore): void {
  const landing = CASES.filter(({ nextUs }) => nextUs !== undefined);
  const refused = CASES.filter(({ nextUs }) => nextUs === undefined);

  describe('each form', () => {
    it.each(landing)('writes: $title', async ({ move, tatUs, nextUs }) => {
      const bucket = new ScratchBucket(store());
      const old = (await bucket.startAt({ rpm: tatUs })).limits.get('rpm');

      const next = (await bucket.written([move])).limits.get('rpm');

      const [used, returned] = move.form === 'credit' ? [0n, 3n] : [3n, 0n];
      expect(next).toEqual({ tatUs: nextUs, used: (old?.used ?? 0n) + used, returned: (old?.returned ?? 0n) + returned });
    });

    it.each(refused)('refuses: $title', async ({ move, tatUs }) => {
      const bucket = new ScratchBucket(store());
      await bucket.startAt({ rpm: tatUs });

      const state = await bucket.refused([move]);

      expect(state?.limits.get('rpm')?.tatUs).toBe(tatUs);
    });

    const creating = [
      { form: 'idle', move: IDLE, nextUs: NOW_US + 500, used: 3n, returned: 0n },
      { form: 'revive', move: REVIVE, nextUs: NOW_US, used: 0n, returned: 3n },
    ] as const;
    const needing = [
      { form: 'busy', move: BUSY },
      { form: 'busy without an upper bound', move: CHARGE },
      { form: 'credit', move: CREDIT },
    ];

    it.each(creating)('$form creates a bucket that is not there, with counters from the time of the write', async (expected) => {
      const state = await new ScratchBucket(store()).written([expected.move]);

      const base = counterBase(NOW_US);
      const limit = { tatUs: expected.nextUs, used: base + expected.used, returned: base + expected.returned };
      expect(state.limits).toEqual(new Map([['rpm', limit]]));
    });

    it.each(creating)('$form adds a limit that a bucket does not have', async ({ move, nextUs }) => {
      const bucket = new ScratchBucket(store());
      const old = await bucket.startAt({ tpm: NOW_US + FAR_US });

      const state = await bucket.written([move]);

      expect(state.limits.get('rpm')?.tatUs).toBe(nextUs);
      expect(state.limits.get('tpm')).toEqual(old.limits.get('tpm'));
    });

    it.each(needing)('$form is refused by a bucket that is not there, and creates none', async ({ move }) => {
      expect(await new ScratchBucket(store()).refused([move])).toBeUndefined();
    });

    it.each(needing)('$form is refused by a bucket that does not have its limit', async ({ move }) => {
      const bucket = new ScratchBucket(store());
      await bucket.startAt({ tpm: NOW_US });

      const state = await bucket.refused([move]);

      expect([...(state?.limits.keys() ?? [])]).toEqual(['tpm']);
    });
  });
}
