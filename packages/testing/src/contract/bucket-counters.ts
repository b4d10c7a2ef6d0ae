import { type BucketStore, counterBase, type Move } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_US, ScratchBucket } from './scratch-bucket.js';

const LARGEST = Number.MAX_SAFE_INTEGER;

/** The counters of what was used and what was returned. */
export function describeCounters(store: () => BucketStore): void {
  describe('the counters', () => {
    it('start at the creation time of the limit, not of the bucket', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([idle('rpm', 1)]);

      const state = await bucket.written([idle('tpm', 2)], { nowUs: NOW_US + 5 });

      expect(state.limits.get('rpm')).toMatchObject({ used: counterBase(NOW_US) + 1n, returned: counterBase(NOW_US) });
      expect(state.limits.get('tpm')).toMatchObject({ used: counterBase(NOW_US + 5) + 2n, returned: counterBase(NOW_US + 5) });
    });

    it('grow by the tokens of each write: used by debits, returned by credits, neither ever less', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([idle('rpm', 1)]);
      await bucket.written([{ form: 'busy', limit: 'rpm', tokens: 20, chargeUs: 0, fromUs: NOW_US }]);
      await bucket.written([{ form: 'credit', limit: 'rpm', tokens: 300, chargeUs: 9_000 }]);

      const state = await bucket.written([idle('rpm', 4_000)], { nowUs: NOW_US + 7 });

      const base = counterBase(NOW_US);
      expect(state.limits.get('rpm')).toMatchObject({ used: base + 4_021n, returned: base + 300n });
    });

    it('are exact beyond 2^53', async () => {
      const bucket = new ScratchBucket(store());
      const base = counterBase(NOW_US);
      await bucket.written([idle('rpm', LARGEST)]);
      await bucket.written([{ form: 'busy', limit: 'rpm', tokens: LARGEST, chargeUs: 0, fromUs: NOW_US, toUs: NOW_US }]);
      await bucket.written([{ form: 'credit', limit: 'rpm', tokens: LARGEST - 1, chargeUs: 0 }]);

      const state = await bucket.written([idle('rpm', 1)]);

      expect(state.limits.get('rpm')).toMatchObject({ used: base + 2n * BigInt(LARGEST) + 1n, returned: base + BigInt(LARGEST) - 1n });
    });

    it('go on where they were when a limit is idle again years later', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([idle('rpm', 1)]);

      const state = await bucket.written([idle('rpm', 1)], { nowUs: NOW_US + 10 ** 14 });

      expect(state.limits.get('rpm')?.used).toBe(counterBase(NOW_US) + 2n);
    });
  });

  describe('the era', () => {
    it('is named by the first write, and kept by the others', async () => {
      const bucket = new ScratchBucket(store());

      const first = await bucket.written([idle('rpm', 1)]);
      const later = await bucket.written([idle('tpm', 1)], { nowUs: NOW_US + 9 });

      expect([first.eraUs, later.eraUs]).toEqual([NOW_US, NOW_US]);
    });

    it('ends with a drop, since the limit may come back and begin its counters anew; no clock can give an era twice', async () => {
      const bucket = new ScratchBucket(store());
      await bucket.written([idle('rpm', 1), idle('tpm', 1)]);

      const dropped = await bucket.written([{ form: 'drop', limit: 'rpm', toUs: NOW_US + 1 }]);
      const again = await bucket.written([idle('rpm', 1)], { nowUs: NOW_US - 1 });
      const last = await bucket.written([{ form: 'drop', limit: 'tpm', toUs: NOW_US + 1 }], { nowUs: NOW_US - 1 });

      expect([dropped.eraUs, again.eraUs, last.eraUs]).toEqual([NOW_US + 1, NOW_US + 1, NOW_US + 2]);
    });
  });

  describe('reading', () => {
    it('gives nothing of a bucket that is not there, and creates none', async () => {
      const bucket = new ScratchBucket(store());

      expect(await bucket.read()).toBeUndefined();
      expect(await bucket.read()).toBeUndefined();
    });

    it('changes nothing', async () => {
      const bucket = new ScratchBucket(store());
      const state = await bucket.written([idle('rpm', 1)], { configVersion: 3 });

      await Promise.all([bucket.read(), bucket.read()]);

      expect(await bucket.read()).toEqual(state);
    });
  });
}

function idle(limit: string, tokens: number): Move {
  return { form: 'idle', limit, tokens, chargeUs: 0, toUs: NOW_US };
}
