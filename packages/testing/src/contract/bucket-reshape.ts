import {
  type BucketState,
  type BucketStore,
  counterBase,
  FIRST_LAYOUT,
  layoutAfter,
  type Move,
  type Reshape,
  type Seed,
} from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_US, ScratchBucket, TTL_SEC, type WriteDetails } from './scratch-bucket.js';

const AHEAD_US = NOW_US + 600;
const SCALE = '100/1';
const TAKE = { form: 'busy', limit: 'rpm', tokens: 3, chargeUs: 500, fromUs: NOW_US, scale: SCALE } as const satisfies Move;
const IDLE = { form: 'idle', limit: 'rpm', tokens: 3, chargeUs: 600, toUs: NOW_US, scale: SCALE } as const satisfies Move;
const CREDIT = { form: 'credit', limit: 'rpm', tokens: 1, chargeUs: 100, scale: SCALE } as const satisfies Move;

/** Two items, and what comes before and after that. */
const TWO = layoutAfter(FIRST_LAYOUT, 2);
const ONE = layoutAfter(TWO, 1);
const FOUR = layoutAfter(TWO, 4);

const split = (to: number, limits: readonly string[] = ['rpm'], absent: readonly string[] = []): Reshape => ({
  form: 'split',
  to,
  limits,
  absent,
});
const seedsOf = (...seeds: readonly [string, number, string?][]): ReadonlyMap<string, Seed> =>
  new Map(seeds.map(([limit, tatUs, scale]) => [limit, { tatUs, scale }]));
const birth = (to: number, seeds: ReadonlyMap<string, Seed> = seedsOf()): Reshape => ({ form: 'birth', to, seeds });

/** Steps of a bucket's way from one layout to another. */
export function describeReshape(store: () => BucketStore): void {
  /** An item whose limit "rpm" lacks something, in a layout. */
  async function itemIn(layout: number): Promise<ScratchBucket> {
    const bucket = new ScratchBucket(store());
    if (layout !== FIRST_LAYOUT) await bucket.written([], { reshape: birth(layout) });
    await bucket.written([IDLE], { layout });
    return bucket;
  }

  const steps = (bucket: ScratchBucket, reshape: Reshape, details: WriteDetails = {}) => bucket.written([], { reshape, ...details });
  const refuses = (bucket: ScratchBucket, reshape: Reshape, details: WriteDetails = {}) => bucket.refused([], { reshape, ...details });

  describe('a demand for a layout', () => {
    it('lands on an item that has it, and leaves it', async () => {
      const bucket = await itemIn(TWO);

      expect((await bucket.written([TAKE], { layout: TWO })).layout).toBe(TWO);
    });

    it.each([FIRST_LAYOUT, ONE, FOUR])('refuses a write of an item that has another one: %i', async (layout) => {
      const bucket = await itemIn(TWO);

      expect((await bucket.refused([TAKE], { layout }))?.layout).toBe(TWO);
    });

    it('for the first one lands on an item that is missing, and one that was never spread, and leaves none', async () => {
      const bucket = new ScratchBucket(store());

      expect((await bucket.written([IDLE], { layout: FIRST_LAYOUT })).layout).toBeUndefined();
      expect((await bucket.written([TAKE], { layout: FIRST_LAYOUT })).layout).toBeUndefined();
    });

    it.each([IDLE, CREDIT])('for a later one is refused where there is no item, and makes none: $form', async (move) => {
      const bucket = new ScratchBucket(store());

      expect(await bucket.refused([move], { layout: TWO })).toBeUndefined();
    });

    it('is no part of a write that names none', async () => {
      const bucket = await itemIn(TWO);

      expect((await bucket.written([CREDIT])).layout).toBe(TWO);
    });
  });

  describe('a split', () => {
    it('sets the layout, and keeps of each limit the arrival time and the scale; what is taken later changes only the former', async () => {
      const bucket = await itemIn(FIRST_LAYOUT);
      await bucket.startAt({ tpm: NOW_US - 7 });
      const before = await bucket.read();

      const state = await steps(bucket, split(TWO, ['rpm', 'tpm']), { layout: FIRST_LAYOUT });

      const seeds = seedsOf(['rpm', AHEAD_US, SCALE], ['tpm', NOW_US - 7]);
      expect(state).toEqual({ ...before, layout: TWO, seeds, seq: Number(before?.seq) + 1, ttlSec: TTL_SEC });
      const later = await bucket.written([TAKE], { layout: TWO });
      expect([later.limits.get('rpm')?.tatUs, later.seeds]).toEqual([AHEAD_US + 500, seeds]);
    });

    it('is refused where the item does not have a limit of it, or has one that it says is absent', async () => {
      const bucket = await itemIn(FIRST_LAYOUT);

      await refuses(bucket, split(TWO, ['rpm', 'tpm']));
      await refuses(bucket, split(TWO, [], ['rpm']));
      expect((await steps(bucket, split(TWO, ['rpm'], ['tpm']))).layout).toBe(TWO);
    });

    it('is refused by an item that is to be merged, that is elsewhere, or that has met a newer configuration', async () => {
      const bucket = await itemIn(TWO);

      await refuses(bucket, split(FOUR), { layout: FIRST_LAYOUT });
      await bucket.written([], { configVersion: 7 });
      await refuses(bucket, split(FOUR), { layout: TWO, configVersion: 6 });
      await steps(bucket, { form: 'intend', to: ONE }, { layout: TWO });
      await refuses(bucket, split(FOUR), { layout: TWO });
    });

    it('is refused where there is no item', async () => {
      const bucket = new ScratchBucket(store());

      expect(await refuses(bucket, split(TWO, ['rpm']), { layout: FIRST_LAYOUT })).toBeUndefined();
      expect(await refuses(bucket, split(TWO, []), { layout: FIRST_LAYOUT })).toBeUndefined();
    });

    it('of an item that has been split before keeps the arrival times as they are now', async () => {
      const bucket = await itemIn(FIRST_LAYOUT);
      await steps(bucket, split(TWO), { layout: FIRST_LAYOUT });
      await bucket.written([TAKE], { layout: TWO });

      expect((await steps(bucket, split(FOUR), { layout: TWO })).seeds).toEqual(seedsOf(['rpm', AHEAD_US + 500, SCALE]));
    });

    it('is known by its name when it arrives again', async () => {
      const bucket = await itemIn(FIRST_LAYOUT);
      const request = { slot: 2, id: 77 };
      await steps(bucket, split(TWO), { layout: FIRST_LAYOUT, request });

      expect((await refuses(bucket, split(TWO), { layout: FIRST_LAYOUT, request }))?.requestIds?.get(2)).toBe(77);
    });
  });

  describe('the birth of an item', () => {
    it('makes it with what the seeds say, and counters that begin now', async () => {
      const bucket = new ScratchBucket(store());
      const seeds = seedsOf(['rpm', AHEAD_US, SCALE], ['tpm', NOW_US - 7]);

      const state = await steps(bucket, birth(TWO, seeds), { configVersion: 3, layout: FIRST_LAYOUT });

      const base = counterBase(NOW_US);
      const limits: BucketState['limits'] = new Map([
        ['rpm', { tatUs: AHEAD_US, used: base, returned: base, scale: SCALE }],
        ['tpm', { tatUs: NOW_US - 7, used: base, returned: base }],
      ]);
      expect(state).toEqual({ limits, layout: TWO, configVersion: 3, seq: NOW_US + 1, ttlSec: TTL_SEC, eraUs: NOW_US });
    });

    it('without seeds makes an item that is full', async () => {
      const bucket = new ScratchBucket(store());

      expect(await steps(bucket, birth(TWO))).toMatchObject({ limits: new Map(), layout: TWO });
    });

    it('begins a retired item again: new arrival times, and counters that go on', async () => {
      const bucket = await itemIn(TWO);
      const before = await steps(bucket, { form: 'retire', to: ONE }, { layout: TWO });

      const state = await steps(bucket, birth(layoutAfter(ONE, 2), seedsOf(['rpm', AHEAD_US + 9, '7/3'])), { nowUs: NOW_US + 50 });

      expect(state.limits.get('rpm')).toEqual({ ...before.limits.get('rpm'), tatUs: AHEAD_US + 9, scale: '7/3' });
      expect(state.seq).toBe(before.seq + 1);
    });

    it.each([TWO, FOUR])('is refused by an item that is as new, or newer: %i', async (layout) => {
      const bucket = await itemIn(layout);

      await refuses(bucket, birth(TWO, seedsOf(['rpm', NOW_US])));
    });

    it('that demands the item to be missing, or to be as it was seen, is refused where it is otherwise', async () => {
      const bucket = await itemIn(TWO);

      await refuses(bucket, birth(FOUR), { layout: FIRST_LAYOUT });
      await refuses(bucket, birth(FOUR), { layout: ONE });
      await steps(bucket, birth(FOUR), { layout: TWO });
    });

    it('is refused by an item that has met a newer configuration', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([IDLE], { configVersion: 5 });

      await refuses(bucket, birth(TWO), { configVersion: 4 });
    });
  });

  describe('the end of a split', () => {
    it('forgets the seeds of the limits that it names, and nothing else', async () => {
      const bucket = await itemIn(FIRST_LAYOUT);
      await bucket.startAt({ tpm: NOW_US });
      const before = await steps(bucket, split(TWO, ['rpm', 'tpm']));

      const state = await steps(bucket, { form: 'born', limits: ['rpm'] }, { layout: TWO });

      expect(state).toEqual({ ...before, seeds: seedsOf(['tpm', NOW_US]), seq: before.seq + 1 });
      expect((await steps(bucket, { form: 'born', limits: ['rpm', 'tpm'] }, { layout: TWO })).seeds).toBeUndefined();
    });

    it('is refused by an item that has been split again, or is gone', async () => {
      const bucket = await itemIn(FIRST_LAYOUT);
      await steps(bucket, split(TWO));
      await steps(bucket, split(FOUR));

      await refuses(bucket, { form: 'born', limits: ['rpm'] }, { layout: TWO });
      expect(await refuses(new ScratchBucket(store()), { form: 'born', limits: ['rpm'] })).toBeUndefined();
    });
  });

  describe('a merge', () => {
    it('is decided once: the item says where to, and stays where it is', async () => {
      const bucket = await itemIn(TWO);

      expect(await steps(bucket, { form: 'intend', to: ONE }, { layout: TWO })).toMatchObject({ layout: TWO, nextLayout: ONE });
      await refuses(bucket, { form: 'intend', to: ONE }, { layout: TWO });
      expect((await bucket.written([TAKE], { layout: TWO })).nextLayout).toBe(ONE);
    });

    it('is not decided by an item that is elsewhere, or missing', async () => {
      const bucket = await itemIn(FOUR);

      await refuses(bucket, { form: 'intend', to: ONE }, { layout: TWO });
      expect(await refuses(new ScratchBucket(store()), { form: 'intend', to: ONE }, { layout: TWO })).toBeUndefined();
    });

    it('retires an item: nobody takes from it any more, and it keeps what it lacks', async () => {
      const bucket = await itemIn(TWO);
      const before = await bucket.read();

      const state = await steps(bucket, { form: 'retire', to: ONE }, { layout: TWO });

      expect(state).toEqual({ ...before, layout: ONE, seq: Number(before?.seq) + 1 });
      await bucket.refused([TAKE], { layout: TWO });
      await bucket.refused([CREDIT], { layout: TWO });
      await refuses(bucket, { form: 'retire', to: ONE }, { layout: TWO });
    });

    it('leaves a mark of an item that is missing', async () => {
      const bucket = new ScratchBucket(store());

      expect(await steps(bucket, { form: 'retire', to: ONE }, { layout: TWO })).toMatchObject({ limits: new Map(), layout: ONE });
      await bucket.refused([IDLE], { layout: FIRST_LAYOUT });
    });

    it('is absorbed by an item that is full: it begins to lack, as from now', async () => {
      const bucket = await itemIn(TWO);
      await steps(bucket, { form: 'intend', to: ONE }, { layout: TWO });
      const nowUs = AHEAD_US + 40;
      const absorb = { ...IDLE, tokens: 0, chargeUs: 70, toUs: nowUs };

      const before = await bucket.read();
      const state = await bucket.written([absorb], { reshape: { form: 'absorb', to: ONE }, layout: TWO, nowUs });

      const rpm = { ...before?.limits.get('rpm'), tatUs: nowUs + 70 };
      const { nextLayout: _, ...rest } = before as BucketState;
      expect(state).toEqual({ ...rest, limits: new Map([['rpm', rpm]]), layout: ONE, seq: rest.seq + 1 });
    });

    it.each([-300, 300])('is absorbed by an item that lacks something, which is moved by %i', async (chargeUs) => {
      const bucket = await itemIn(TWO);
      const absorb = { ...TAKE, tokens: 0, chargeUs, fromUs: AHEAD_US };

      const state = await bucket.written([absorb], { reshape: { form: 'absorb', to: ONE }, layout: TWO });

      expect([state.limits.get('rpm')?.tatUs, state.layout]).toEqual([AHEAD_US + chargeUs, ONE]);
      await bucket.refused([absorb], { reshape: { form: 'absorb', to: ONE }, layout: TWO });
    });

    it('is not absorbed where credits have come meanwhile, and is where something was taken', async () => {
      const bucket = await itemIn(TWO);
      const absorb = { ...TAKE, tokens: 0, chargeUs: -300, fromUs: AHEAD_US };
      await bucket.written([CREDIT], { layout: TWO });
      await bucket.refused([absorb], { reshape: { form: 'absorb', to: ONE }, layout: TWO });
      await bucket.written([TAKE], { layout: TWO });

      const state = await bucket.written([absorb], { reshape: { form: 'absorb', to: ONE }, layout: TWO });

      expect(state.limits.get('rpm')?.tatUs).toBe(AHEAD_US - 100 + 500 - 300);
    });

    it('is absorbed by an item that nothing has to be moved on, but not by one that is missing', async () => {
      const absorb: Reshape = { form: 'absorb', to: ONE };

      expect((await steps(await itemIn(TWO), absorb, { layout: TWO })).layout).toBe(ONE);
      expect(await refuses(new ScratchBucket(store()), absorb, { layout: TWO })).toBeUndefined();
    });
  });
}
