import { type BucketStore, REQUEST_SLOTS, type TakeMove } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_US, ScratchBucket } from './scratch-bucket.js';

const TAKE: TakeMove = { form: 'idle', limit: 'rpm', tokens: 1, chargeUs: 10, toUs: NOW_US + 1_000 };
const first = { slot: 1, id: 101 };
const second = { slot: 1, id: 202 };

/** Requests that have a name count once, as long as their slot remembers them. */
export function describeRequests(store: () => BucketStore): void {
  describe('a request with a name', () => {
    it('leaves it in its slot, on a new item and on one that is there', async () => {
      const bucket = new ScratchBucket(store());

      expect((await bucket.written([TAKE], { request: first })).requestIds).toEqual(new Map([[1, 101]]));
      expect((await bucket.written([TAKE], { request: second })).requestIds).toEqual(new Map([[1, 202]]));
    });

    it('is refused when it arrives again, with the state that says so', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([TAKE], { request: first });

      const state = await bucket.refused([TAKE], { request: first });

      expect(state?.requestIds?.get(1)).toBe(101);
      expect(state?.limits.get('rpm')?.tatUs).toBe(NOW_US + 10);
    });

    it('counts again once another one has used its slot', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([TAKE], { request: first });
      await bucket.written([TAKE], { request: second });

      await bucket.written([TAKE], { request: first });
    });

    it('is remembered beside those of the other slots, and by writes without a name', async () => {
      const bucket = new ScratchBucket(store());
      const ids = Array.from({ length: REQUEST_SLOTS }, (_, slot) => ({ slot, id: 9_007_199_254_740_991 - slot }));
      for (const request of ids) await bucket.written([TAKE], { request });
      const state = await bucket.written([TAKE]);

      expect(state.requestIds).toEqual(new Map(ids.map(({ slot, id }) => [slot, id])));
      for (const request of ids) await bucket.refused([TAKE], { request });
    });

    it('leaves no name behind where it is refused for another reason', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([TAKE]);

      await bucket.refused([{ form: 'idle', limit: 'rpm', tokens: 1, chargeUs: 10, toUs: NOW_US - 1 }], { request: first });

      await bucket.written([TAKE], { request: first });
    });
  });
}
