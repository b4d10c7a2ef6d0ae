import { describe, expect, it } from 'vitest';
import { powerLawRank, powerLawShare } from './skew.js';

const COUNT = 1_000;

describe('a rank by a power law', () => {
  it('is one of those that there are, whatever the random number', () => {
    expect(powerLawRank(0, COUNT, 1.5)).toBe(1);
    expect(powerLawRank(1 - Number.EPSILON, COUNT, 1.5)).toBe(COUNT);
  });

  it.each([1.5, 2, 3])('comes as often as its share says, with an exponent of %d', (exponent) => {
    const steps = 200_000;
    const counts = new Map<number, number>();
    for (let step = 0; step < steps; step += 1) {
      const rank = powerLawRank((step + 0.5) / steps, COUNT, exponent);
      counts.set(rank, (counts.get(rank) ?? 0) + 1);
    }

    for (const rank of [1, 2, 3, 10, 50]) expect((counts.get(rank) ?? 0) / steps).toBeCloseTo(powerLawShare(rank, COUNT, exponent), 4);
  });

  it('has shares that are all there is, and fall as the law says', () => {
    const shares = Array.from({ length: COUNT }, (_, index) => powerLawShare(index + 1, COUNT, 1.5));

    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(powerLawShare(100, COUNT, 1.5) / powerLawShare(400, COUNT, 1.5)).toBeCloseTo(4 ** 1.5, 1);
  });
});
