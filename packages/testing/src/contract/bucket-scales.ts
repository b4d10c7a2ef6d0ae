import { type BucketStore, counterBase, MAX_LIMITS, type Move } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_US, ScratchBucket } from './scratch-bucket.js';

const AHEAD_US = NOW_US + 600;
const [OWN, OTHER] = ['100/1', '1000/3'];
const MOVE = { limit: 'rpm', tokens: 3, chargeUs: 500 } as const;
const BUSY = { ...MOVE, form: 'busy', fromUs: NOW_US, toUs: AHEAD_US } as const;
const CHARGE = { ...MOVE, form: 'busy', fromUs: NOW_US } as const;
const IDLE = { ...MOVE, form: 'idle', toUs: AHEAD_US } as const;
const CREDIT = { ...MOVE, form: 'credit' } as const;
const RESCALE = { form: 'rescale', limit: 'rpm', fromTatUs: AHEAD_US, toTatUs: NOW_US + 2_000, scale: OWN } as const satisfies Move;

/** Moves by a distance, which means something in one scale only. */
const BY_DISTANCE = [
  { title: 'busy', move: BUSY },
  { title: 'busy without an upper bound', move: CHARGE },
  { title: 'credit', move: CREDIT },
] as const;

/** The scale that a limit's arrival time is written in. */
export function describeScales(store: () => BucketStore): void {
  /** A bucket whose arrival time is {@link AHEAD_US}, in a scale. */
  async function bucketIn(scale: string | undefined): Promise<ScratchBucket> {
    const bucket = new ScratchBucket(store());
    await bucket.startAt({ rpm: AHEAD_US });
    if (scale !== undefined) await bucket.written([{ ...RESCALE, toTatUs: AHEAD_US, scale }]);
    return bucket;
  }

  const scaleOf = async (bucket: ScratchBucket) => (await bucket.read())?.limits.get('rpm')?.scale;

  describe('the scale of a limit', () => {
    it.each(BY_DISTANCE)('is demanded by a move by a distance, and stays: $title', async ({ move }) => {
      const bucket = await bucketIn(OWN);

      await bucket.written([{ ...move, scale: OWN }]);

      expect(await scaleOf(bucket)).toBe(OWN);
    });

    it.each(BY_DISTANCE)('refuses a move by a distance of another scale: $title', async ({ move }) => {
      const bucket = await bucketIn(OTHER);

      const state = await bucket.refused([{ ...move, scale: OWN }]);

      expect(state?.limits.get('rpm')).toMatchObject({ tatUs: AHEAD_US, scale: OTHER });
    });

    it.each(BY_DISTANCE)('is set by the first that names one, on a limit that is older than scales: $title', async ({ move }) => {
      const bucket = await bucketIn(undefined);

      await bucket.written([{ ...move, scale: OWN }]);

      expect(await scaleOf(bucket)).toBe(OWN);
    });

    it.each(BY_DISTANCE)('is neither asked nor changed by a move that names none: $title', async ({ move }) => {
      const bucket = await bucketIn(OTHER);

      await bucket.written([move]);

      expect(await scaleOf(bucket)).toBe(OTHER);
    });

    it.each([OWN, OTHER, undefined])('does not matter to the idle form, which leaves its own (found: %s)', async (found) => {
      const bucket = await bucketIn(found);

      const state = await bucket.written([{ ...IDLE, scale: OWN }]);

      expect(state.limits.get('rpm')).toMatchObject({ tatUs: NOW_US + 500, scale: OWN });
    });

    it('is left by an idle form and a revive that create a limit', async () => {
      const bucket = new ScratchBucket(store());

      const state = await bucket.written([
        { ...IDLE, scale: OWN },
        { form: 'revive', limit: 'tpm', tokens: 1, scale: OTHER },
      ]);

      expect([state.limits.get('rpm')?.scale, state.limits.get('tpm')?.scale]).toEqual([OWN, OTHER]);
    });

    it('is one of each limit: one in another scale refuses the whole write', async () => {
      const bucket = await bucketIn(OTHER);
      await bucket.written([{ ...IDLE, limit: 'tpm', scale: OWN }]);

      await bucket.refused([
        { ...CHARGE, limit: 'tpm', scale: OWN },
        { ...CHARGE, scale: OWN },
      ]);
      const state = await bucket.written([
        { ...CHARGE, limit: 'tpm', scale: OWN },
        { ...CHARGE, scale: OTHER },
      ]);

      expect(state.limits.get('tpm')?.tatUs).toBe(NOW_US + 1_000);
    });
  });

  describe('a rescale', () => {
    it.each([OTHER, OWN, undefined])(
      'sets arrival time and scale where it knows the time exactly, and counts nothing (found: %s)',
      async (found) => {
        const bucket = await bucketIn(found);
        const old = (await bucket.read())?.limits.get('rpm');

        const state = await bucket.written([RESCALE]);

        expect(state.limits.get('rpm')).toEqual({ ...old, tatUs: NOW_US + 2_000, scale: OWN });
      },
    );

    it.each([-1, 1])('is refused where the arrival time is another by %i', async (offset) => {
      const bucket = await bucketIn(OTHER);

      await bucket.refused([{ ...RESCALE, fromTatUs: AHEAD_US + offset }]);
    });

    it('is refused by a bucket that is not there or does not have the limit, and creates none', async () => {
      const bucket = new ScratchBucket(store());

      expect(await bucket.refused([RESCALE])).toBeUndefined();
      await bucket.startAt({ tpm: AHEAD_US });
      await bucket.refused([RESCALE]);
    });

    it('of several limits happens as a whole', async () => {
      const bucket = await bucketIn(OTHER);
      await bucket.written([{ ...IDLE, limit: 'tpm', scale: OTHER }]);

      await bucket.refused([RESCALE, { ...RESCALE, limit: 'tpm', fromTatUs: NOW_US }]);
      const state = await bucket.written([RESCALE, { ...RESCALE, limit: 'tpm', fromTatUs: NOW_US + 500, toTatUs: NOW_US + 7 }]);

      expect([state.limits.get('rpm')?.tatUs, state.limits.get('tpm')?.tatUs]).toEqual([NOW_US + 2_000, NOW_US + 7]);
    });

    it('of a writer with an older configuration is refused', async () => {
      const bucket = await bucketIn(OTHER);
      await bucket.written([], { configVersion: 7 });

      await bucket.refused([RESCALE], { configVersion: 6 });
      expect((await bucket.written([RESCALE], { configVersion: 7 })).configVersion).toBe(7);
    });
  });
}

/** Limits that are taken off a bucket. */
export function describeDrops(store: () => BucketStore): void {
  const drop = (limit: string, toUs = NOW_US): Move => ({ form: 'drop', limit, toUs });

  describe('a drop', () => {
    it.each([
      { title: 'at its bound', tatUs: NOW_US },
      { title: 'far behind it', tatUs: NOW_US - 10 ** 12 },
    ])('leaves nothing of a limit that is full, and all of the others: $title', async ({ tatUs }) => {
      const bucket = new ScratchBucket(store());
      const old = await bucket.startAt({ tpm: NOW_US + 5, rpm: tatUs });

      const state = await bucket.written([drop('rpm')]);

      expect(state).toEqual({ ...old, limits: new Map([['tpm', old.limits.get('tpm')]]), seq: old.seq + 1, eraUs: (old.eraUs ?? 0) + 1 });
    });

    it('is refused where tokens are missing', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.startAt({ rpm: NOW_US + 1 });

      await bucket.refused([drop('rpm')]);
    });

    it('is refused where there is no such limit, and creates no bucket', async () => {
      const bucket = new ScratchBucket(store());

      expect(await bucket.refused([drop('rpm')])).toBeUndefined();
      await bucket.startAt({ tpm: NOW_US });
      await bucket.refused([drop('rpm')]);
    });

    it(`can be of ${3 * MAX_LIMITS} limits with the longest names, and leaves the bucket itself`, async () => {
      const bucket = new ScratchBucket(store());
      const names = Array.from({ length: 3 * MAX_LIMITS }, (_, index) => `${'limit-name_'.repeat(3).slice(0, 30)}${index + 10}`);
      for (const limit of names) await bucket.written([{ form: 'idle', limit, tokens: 1, chargeUs: 0, toUs: NOW_US, scale: OWN }]);

      const state = await bucket.written(names.map((limit) => drop(limit)));

      expect(state).toMatchObject({ limits: new Map(), seq: NOW_US + 3 * MAX_LIMITS + 1 });
    });

    it('is followed by counters that begin anew, from the time then', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.startAt({ rpm: NOW_US });
      await bucket.written([drop('rpm')]);

      const state = await bucket.written([{ ...MOVE, form: 'idle', toUs: NOW_US }], { nowUs: NOW_US + 9 });

      const base = counterBase(NOW_US + 9);
      expect(state.limits.get('rpm')).toEqual({ tatUs: NOW_US + 509, used: base + 3n, returned: base });
    });

    it('may be part of a write that takes from other limits', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.startAt({ old: NOW_US, rpm: AHEAD_US });

      const state = await bucket.written([drop('old'), { ...CHARGE, scale: OWN }]);

      expect([...state.limits.keys()]).toEqual(['rpm']);
      expect(state.limits.get('rpm')?.tatUs).toBe(AHEAD_US + 500);
    });
  });
}
