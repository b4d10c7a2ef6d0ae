import { describe, expect, it } from 'vitest';
import { beginsLate, countHoles } from './holes.js';
import type { BucketStep } from './step.js';

const REF = { namespaceId: 'n1', entity: 'key-1', resource: 'gpt-4', shard: 0 };

/** A record of one limit whose used counter goes from one value to another, and the write number with it. */
function step(from: number, to: number, more: Partial<BucketStep> = {}, isBirth = false): BucketStep {
  const [used, returned] = [
    { from: BigInt(from), to: BigInt(to) },
    { from: 0n, to: 0n },
  ];
  return { ref: REF, eraUs: 5, atMs: 0, seq: { from, to }, limits: new Map([['rpm', { used, returned, isBirth }]]), ...more };
}

describe('the holes in a batch', () => {
  it('are where a counter goes on from further up than it was left', () => {
    expect(countHoles([step(0, 3), step(3, 5), step(5, 9)])).toBe(0);
    expect(countHoles([step(0, 3), step(5, 9), step(9, 10), step(12, 13)])).toBe(2);
  });

  it('are the same however often records come, and in whatever order', () => {
    const [a, b, c] = [step(0, 3), step(3, 5), step(7, 9)];

    for (const steps of [
      [c, b, a],
      [a, a, b, c, b],
      [b, c, a, c],
    ])
      expect(countHoles(steps)).toBe(1);
  });

  it('are not between two items, two eras, or before what was born', () => {
    const other = { ...REF, entity: 'key-2' };

    expect(countHoles([step(0, 3), step(9, 10, { ref: other }), step(20, 30, { eraUs: 6 })])).toBe(0);
    expect(countHoles([step(0, 3), step(9, 10, {}, true)])).toBe(0);
  });

  it('are not between a bucket and the meter of its events', () => {
    expect(countHoles([step(0, 3), step(9, 10, { source: 'events' }), step(3, 4)])).toBe(0);
  });

  it('are seen by what was given back, too', () => {
    const returned = (from: bigint, to: bigint): BucketStep => ({
      ...step(3, 4),
      limits: new Map([['rpm', { used: { from: 3n, to: 3n }, returned: { from, to }, isBirth: false }]]),
    });

    expect(countHoles([step(0, 3), returned(0n, 1n)])).toBe(0);
    expect(countHoles([step(0, 3), returned(1n, 2n)])).toBe(1);
  });
});

describe('a change', () => {
  const change = { ref: { bucket: REF, eraUs: 5, type: 'month', startMs: 0 }, seq: { from: 7, to: 9 }, limits: step(7, 9).limits } as const;
  const window = (used: number) => ({ sb: { N: '7' }, 'ub.rpm': { N: String(used) }, 'rb.rpm': { N: '0' } });

  it('begins late where the window ended before it', () => {
    expect(beginsLate(window(6), change)).toBe(true);
    expect(beginsLate(window(7), change)).toBe(false);
    expect(beginsLate(window(8), change)).toBe(false);
  });

  it('never does in a window that is new, or that knows nothing of the limit', () => {
    expect(beginsLate({}, change)).toBe(false);
    expect(beginsLate({ sb: { N: '7' }, 'ub.tpm': { N: '1' }, 'rb.tpm': { N: '1' } }, change)).toBe(false);
  });
});
