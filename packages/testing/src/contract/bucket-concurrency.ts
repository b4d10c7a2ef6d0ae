import { type BucketStore, counterBase, type Move, type WriteOutcome } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_US, ScratchBucket } from './scratch-bucket.js';

const CALLERS = 64;
const TOKEN_US = 1_000_000;

/** Writes that arrive at once. */
export function describeConcurrency(store: () => BucketStore): void {
  const callers = Array.from({ length: CALLERS }, (_, index) => index);
  const written = (outcomes: readonly WriteOutcome[]) => outcomes.flatMap((outcome) => (outcome.kind === 'written' ? [outcome.state] : []));

  describe(`${CALLERS} takes at once`, () => {
    it('admit exactly what fits', async () => {
      const bucket = new ScratchBucket(store());
      const capacity = 40;
      await bucket.startAt({ rpm: NOW_US });
      const take: Move = {
        form: 'busy',
        limit: 'rpm',
        tokens: 1,
        chargeUs: TOKEN_US,
        fromUs: NOW_US,
        toUs: NOW_US + (capacity - 1) * TOKEN_US,
      };

      const outcomes = await Promise.all(callers.map(() => bucket.write([take])));

      const states = written(outcomes);
      expect(states).toHaveLength(capacity);
      expect(new Set(states.map(({ seq }) => seq)).size).toBe(capacity);
      expect(new Set(states.map(({ limits }) => limits.get('rpm')?.tatUs)).size).toBe(capacity);
      const rpm = (await bucket.read())?.limits.get('rpm');
      expect(rpm?.tatUs).toBe(NOW_US + capacity * TOKEN_US);
      expect(rpm?.used).toBe(counterBase(NOW_US - 1) + 1n + BigInt(capacity));
    });

    it('admit exactly one that needs the bucket idle, and tell the others what it left', async () => {
      const bucket = new ScratchBucket(store());
      const take: Move = { form: 'idle', limit: 'rpm', tokens: 1, chargeUs: TOKEN_US, toUs: NOW_US };

      const outcomes = await Promise.all(callers.map(() => bucket.write([take])));

      expect(written(outcomes)).toHaveLength(1);
      const state = await bucket.read();
      for (const outcome of outcomes) expect(outcome.state).toEqual(state);
    });

    it('and credits at once are all counted', async () => {
      const bucket = new ScratchBucket(store());
      const { limits } = await bucket.startAt({ rpm: NOW_US, tpm: NOW_US });
      const moves: readonly Move[] = [
        { form: 'busy', limit: 'rpm', tokens: 3, chargeUs: 30, fromUs: NOW_US - 10 ** 9 },
        { form: 'credit', limit: 'tpm', tokens: 2, chargeUs: 20 },
      ];

      const outcomes = await Promise.all(callers.map(() => bucket.write(moves)));

      expect(written(outcomes)).toHaveLength(CALLERS);
      const state = await bucket.read();
      expect(state?.limits.get('rpm')).toMatchObject({
        tatUs: NOW_US + 30 * CALLERS,
        used: (limits.get('rpm')?.used ?? 0n) + BigInt(3 * CALLERS),
      });
      expect(state?.limits.get('tpm')).toMatchObject({
        tatUs: NOW_US - 20 * CALLERS,
        returned: (limits.get('tpm')?.returned ?? 0n) + BigInt(2 * CALLERS),
      });
    });
  });
}
