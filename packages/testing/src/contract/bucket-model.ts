import type { BucketStore, BucketWrite } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyShapedWrite } from '../arbitraries.js';
import { MemoryStore } from '../memory-store.js';
import { freshRef, NOW_US } from './scratch-bucket.js';

const RUNS = 100;
const WRITES = 20;
const LIMITS = ['a', 'b', 'c'] as const;

const step = fc.record({ bucket: fc.nat({ max: 1 }), write: anyShapedWrite(LIMITS, NOW_US) });

/** The reference is the specification: whatever is written, in whatever order, the outcomes are the same. */
export function describeModel(store: () => BucketStore): void {
  describe('random writes', () => {
    it('have the same outcomes as on the reference store', async () => {
      const steps = fc.array(step, { minLength: WRITES / 2, maxLength: WRITES, size: 'max' });

      await fc.assert(
        fc.asyncProperty(steps, async (writes) => {
          const reference = new MemoryStore();
          const refs = [freshRef(), freshRef()] as const;

          for (const { bucket, write: rest } of writes) {
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
