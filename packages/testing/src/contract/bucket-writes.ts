import { type BucketStore, MAX_LIMITS, type Move } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_US, ScratchBucket, TTL_SEC } from './scratch-bucket.js';

const HOUR_US = 3_600_000_000;

/** One move of each form, all of which a bucket at {@link MIXED_TAT} allows. */
const MIXED: readonly Move[] = [
  { form: 'busy', limit: 'busy', tokens: 1, chargeUs: 10, fromUs: NOW_US, toUs: NOW_US + 100 },
  { form: 'busy', limit: 'charge', tokens: 2, chargeUs: 20, fromUs: NOW_US },
  { form: 'idle', limit: 'idle', tokens: 3, chargeUs: 30, toUs: NOW_US },
  { form: 'idle', limit: 'fresh', tokens: 4, chargeUs: 40, toUs: NOW_US },
  { form: 'credit', limit: 'credit', tokens: 5, chargeUs: 50 },
  { form: 'revive', limit: 'revive', tokens: 6 },
];
const MIXED_TAT = { busy: NOW_US + 100, charge: NOW_US + HOUR_US, idle: NOW_US - HOUR_US, credit: NOW_US + 50 };

/** A move for a limit of {@link MIXED} that the same bucket refuses. */
const SPOILED: readonly Move[] = [
  { form: 'busy', limit: 'busy', tokens: 1, chargeUs: 10, fromUs: NOW_US, toUs: NOW_US + 99 },
  { form: 'busy', limit: 'charge', tokens: 2, chargeUs: 20, fromUs: NOW_US + HOUR_US + 1 },
  { form: 'idle', limit: 'busy', tokens: 3, chargeUs: 30, toUs: NOW_US },
  { form: 'credit', limit: 'fresh', tokens: 5, chargeUs: 50 },
  { form: 'revive', limit: 'credit', tokens: 6 },
];

/** Several limits in one write: all or none. */
export function describeMoves(store: () => BucketStore): void {
  describe('several limits in one write', () => {
    it('move together, whatever their forms', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.startAt(MIXED_TAT);

      const state = await bucket.written(MIXED);

      const tats = Object.fromEntries([...state.limits].map(([limit, { tatUs }]) => [limit, tatUs - NOW_US]));
      expect(tats).toEqual({ busy: 110, charge: HOUR_US + 20, idle: 30, fresh: 40, credit: 0, revive: 0 });
    });

    it.each(SPOILED)('stay as they are when one refuses: $form of $limit', async (spoiled) => {
      const bucket = new ScratchBucket(store());
      await bucket.startAt(MIXED_TAT);

      const state = await bucket.refused([...MIXED.filter(({ limit }) => limit !== spoiled.limit), spoiled]);

      expect([...(state?.limits.keys() ?? [])].sort()).toEqual(Object.keys(MIXED_TAT).sort());
    });

    it('are not created when one of them needs a limit that is not there', async () => {
      const bucket = new ScratchBucket(store());

      expect(await bucket.refused(MIXED)).toBeUndefined();
    });

    it(`can be ${MAX_LIMITS}, with the longest names`, async () => {
      const bucket = new ScratchBucket(store());
      const names = Array.from({ length: MAX_LIMITS }, (_, index) => `${'limit-name_'.repeat(3).slice(0, 31)}${index}`);
      const idle = names.map((limit, index): Move => ({ form: 'idle', limit, tokens: index + 1, chargeUs: index, toUs: NOW_US }));
      const busy = names.map((limit): Move => ({ form: 'busy', limit, tokens: 1, chargeUs: 1, fromUs: NOW_US, toUs: NOW_US + 100 }));
      await bucket.written(idle);

      const state = await bucket.written(busy);

      expect(names.map((limit) => state.limits.get(limit)?.tatUs)).toEqual(names.map((_, index) => NOW_US + index + 1));
    });

    it('may bear the names of attributes, keys and properties of objects', async () => {
      const bucket = new ScratchBucket(store());
      const names = ['PK', 'SK', 'ttl', 'v', 'seq', 'cv', 't', 'u', 'r', 'name', 'constructor', 'toString', 'size', 'Rpm', 'rpm'];

      for (const [index, limit] of names.entries()) {
        await bucket.written([{ form: 'idle', limit, tokens: 1, chargeUs: index, toUs: NOW_US }]);
      }

      const state = await bucket.read();
      expect(state?.limits.size).toBe(names.length);
      expect(names.map((limit) => state?.limits.get(limit)?.tatUs)).toEqual(names.map((_, index) => NOW_US + index));
      expect(state).toMatchObject({ seq: NOW_US + names.length, ttlSec: TTL_SEC });
    });
  });
}

/** What a write says of a bucket as a whole. */
export function describeHeader(store: () => BucketStore): void {
  const TAKE: Move = { form: 'idle', limit: 'rpm', tokens: 1, chargeUs: 0, toUs: NOW_US };

  describe('the write number', () => {
    it('starts at the time of creation and grows by one with each write, whatever time the write bears', async () => {
      const bucket = new ScratchBucket(store());
      const seqs = [(await bucket.written([TAKE])).seq];

      for (const nowUs of [NOW_US + HOUR_US, NOW_US - HOUR_US, NOW_US]) {
        seqs.push((await bucket.written([{ form: 'credit', limit: 'rpm', tokens: 1, chargeUs: 1 }], { nowUs })).seq);
      }

      expect(seqs).toEqual([1, 2, 3, 4].map((step) => NOW_US + step));
    });

    it('does not grow with a refused write', async () => {
      const bucket = new ScratchBucket(store());
      const { seq } = await bucket.written([TAKE]);
      await bucket.refused([{ form: 'revive', limit: 'rpm', tokens: 1 }]);

      expect((await bucket.written([TAKE])).seq).toBe(seq + 1);
    });
  });

  describe('the configuration version', () => {
    it.each([
      { title: 'none by none', stored: undefined, known: undefined, expected: undefined },
      { title: 'none by one', stored: undefined, known: 0, expected: 0 },
      { title: 'one by none', stored: 7, known: undefined, expected: 7 },
      { title: 'one by its equal', stored: 7, known: 7, expected: 7 },
      { title: 'one by the next', stored: 7, known: 8, expected: 8 },
      { title: 'one by one of the size of a time', stored: 0, known: NOW_US, expected: NOW_US },
    ])('is raised or kept: $title', async ({ stored, known, expected }) => {
      const bucket = new ScratchBucket(store());
      await bucket.written([TAKE], version(stored));

      expect((await bucket.written([TAKE], version(known))).configVersion).toBe(expected);
    });

    it.each([
      { stored: 7, known: 6 },
      { stored: 1, known: 0 },
      { stored: NOW_US, known: NOW_US - 1 },
    ])('refuses an older one: $known after $stored', async ({ stored, known }) => {
      const bucket = new ScratchBucket(store());
      await bucket.written([TAKE], version(stored));

      expect((await bucket.refused([TAKE], version(known)))?.configVersion).toBe(stored);
    });

    it('is not raised by a write that a limit refuses', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([TAKE], version(7));

      expect((await bucket.refused([{ form: 'revive', limit: 'rpm', tokens: 1 }], version(8)))?.configVersion).toBe(7);
    });
  });

  describe('a write without moves', () => {
    it('puts off the expiry, and changes nothing else but the write number', async () => {
      const bucket = new ScratchBucket(store());
      const old = await bucket.written([TAKE], version(7));

      const state = await bucket.written([], { ttlSec: TTL_SEC + 1 });

      expect(state).toEqual({ ...old, ttlSec: TTL_SEC + 1, seq: old.seq + 1 });
    });

    it.each([{ known: undefined }, { known: 7 }])('creates no bucket (configuration version $known)', async ({ known }) => {
      expect(await new ScratchBucket(store()).refused([], version(known))).toBeUndefined();
    });

    it('raises the configuration version, and is refused if it bears an older one', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([TAKE], version(7));

      expect((await bucket.written([], version(8))).configVersion).toBe(8);
      expect((await bucket.refused([], version(7)))?.configVersion).toBe(8);
    });
  });
}

function version(configVersion: number | undefined): { readonly configVersion?: number } {
  return configVersion === undefined ? {} : { configVersion };
}
