import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsChange, mergeChange, type WindowChange } from './change.js';
import type { LimitStep } from './step.js';

const ref = { bucket: { namespaceId: 'n', entity: 'e', resource: 'r', shard: 0 }, eraUs: 1, type: 'hour', startMs: 0 } as const;

/** Any steps at all, also those that no bucket makes: merging must not depend on it. */
const anySpan = fc.tuple(fc.bigInt({ min: 0n, max: 5n }), fc.bigInt({ min: 0n, max: 5n })).map(([from, to]) => ({ from, to }));
const anyLimit: fc.Arbitrary<LimitStep> = fc.record({ used: anySpan, returned: anySpan, isBirth: fc.boolean() });
const anyChange: fc.Arbitrary<WindowChange> = fc
  .record({ seq: fc.record({ from: fc.nat(5), to: fc.nat(5) }), limits: fc.dictionary(fc.constantFrom('a', 'b', 'c'), anyLimit) })
  .map(({ seq, limits }) => ({ ref, seq, limits: new Map(Object.entries(limits)) }));

/** The order in which limits were met means nothing. */
const plain = ({ seq, limits }: WindowChange) => ({ seq, limits: Object.fromEntries(limits) });

describe('merging changes', () => {
  it('does not care about order', () => {
    const orders = fc.property(anyChange, anyChange, (a, b) => {
      expect(plain(mergeChange(a, b))).toEqual(plain(mergeChange(b, a)));
    });

    fc.assert(orders);
  });

  it('does not care about grouping', () => {
    const groups = fc.property(anyChange, anyChange, anyChange, (a, b, c) => {
      expect(plain(mergeChange(mergeChange(a, b), c))).toEqual(plain(mergeChange(a, mergeChange(b, c))));
    });

    fc.assert(groups);
  });

  it('does not care about repetition: what a window holds adds nothing to it', () => {
    const repeats = fc.property(anyChange, anyChange, (a, b) => {
      const both = mergeChange(a, b);
      expect(plain(mergeChange(both, a))).toEqual(plain(both));
      expect([holdsChange(both, a), holdsChange(both, b), holdsChange(both, both)]).toEqual([true, true, true]);
    });

    fc.assert(repeats);
  });

  it('widens exactly where the change is not held', () => {
    const widens = fc.property(anyChange, anyChange, (a, b) => {
      const isSame = JSON.stringify(texts(mergeChange(a, b))) === JSON.stringify(texts(a));
      expect(holdsChange(a, b)).toBe(isSame);
    });

    fc.assert(widens);
  });
});

function texts({ seq, limits }: WindowChange): unknown {
  const entries = [...limits].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    seq,
    entries.map(([limit, { used, returned, isBirth }]) => [limit, `${used.from} ${used.to} ${returned.from} ${returned.to}`, isBirth]),
  ];
}
