import type { BucketStore, BucketWrite, Move } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../memory-store.js';
import { freshRef, NOW_US, TTL_SEC } from './scratch-bucket.js';

const RUNS = 100;
const WRITES = 20;
const LIMITS = ['a', 'b', 'c'] as const;

// Times lie so close together that random ones often meet a bound exactly, or miss it by one.
const offsetUs = fc.integer({ min: -6, max: 6 });
const chargeUs = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 10 ** 14 }) },
);
const tokens = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.maxSafeNat());

function moveOf(limit: string): fc.Arbitrary<Move> {
  return fc.oneof(
    fc.record({ tokens, chargeUs, from: offsetUs, to: fc.option(offsetUs, { nil: undefined }) }).map(({ from, to, ...rest }): Move => {
      const fromUs = NOW_US + from;
      return to === undefined ? { form: 'busy', limit, ...rest, fromUs } : { form: 'busy', limit, ...rest, fromUs, toUs: NOW_US + to };
    }),
    fc.record({ tokens, chargeUs, to: offsetUs }).map(({ to, ...rest }): Move => ({ form: 'idle', limit, ...rest, toUs: NOW_US + to })),
    fc.record({ tokens, chargeUs }).map((rest): Move => ({ form: 'credit', limit, ...rest })),
    fc.record({ tokens }).map((rest): Move => ({ form: 'revive', limit, ...rest })),
  );
}

type Step = Omit<BucketWrite, 'ref'> & { readonly bucket: number };

const step: fc.Arbitrary<Step> = fc
  .record({
    bucket: fc.nat({ max: 1 }),
    nowUs: offsetUs.map((offset) => NOW_US + offset),
    ttlSec: fc.nat({ max: 3 }).map((days) => TTL_SEC + days * 86_400),
    configVersion: fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 2 }),
    moves: fc.subarray([...LIMITS]).chain((limits) => fc.tuple(...limits.map(moveOf))),
  })
  .map(({ configVersion, ...rest }) => (configVersion === undefined ? rest : { ...rest, configVersion }));

/** The reference is the specification: whatever is written, in whatever order, the outcomes are the same. */
export function describeModel(store: () => BucketStore): void {
  describe('random writes', () => {
    it('have the same outcomes as on the reference store', async () => {
      const steps = fc.array(step, { minLength: WRITES / 2, maxLength: WRITES, size: 'max' });

      await fc.assert(
        fc.asyncProperty(steps, async (writes) => {
          const reference = new MemoryStore();
          const refs = [freshRef(), freshRef()] as const;

          for (const { bucket, ...rest } of writes) {
            const write: BucketWrite = { ref: refs[bucket as 0 | 1], ...rest };
            expect(await store().write(write)).toEqual(await reference.write(write));
          }

          for (const ref of refs) expect(await store().read(ref)).toEqual(await reference.read(ref));
        }),
        { numRuns: RUNS },
      );
    });
  });
}
