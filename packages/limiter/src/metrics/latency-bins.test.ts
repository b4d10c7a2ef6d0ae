import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatencyBins } from './latency-bins.js';

function binsOf(...tookMs: number[]): LatencyBins {
  const bins = new LatencyBins();
  for (const ms of tookMs) bins.add(ms);
  return bins;
}

describe('latencies', () => {
  it('are told to 8 percent, each once', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.11, max: 70_000, noNaN: true }), (tookMs) => {
        const { values, counts } = binsOf(tookMs).distribution() ?? { values: [], counts: [] };
        expect(counts).toEqual([1]);
        expect(Math.abs((values[0] ?? 0) / tookMs - 1)).toBeLessThan(0.08);
      }),
    );
  });

  it('of any number are at most a hundred values, rising, with a count each', () => {
    const all = Array.from({ length: 4_000 }, (_, index) => 0.01 * 1.005 ** index);
    const { values, counts } = binsOf(0, ...all).distribution() ?? { values: [], counts: [] };

    expect(values.length).toBeLessThanOrEqual(100);
    expect([...values].sort((a, b) => a - b)).toEqual(values);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4_001);
  });

  it('keep their percentiles', () => {
    const { values, counts } = binsOf(...Array.from({ length: 990 }, () => 4), ...Array.from({ length: 10 }, () => 900)).distribution() ?? {
      values: [],
      counts: [],
    };

    expect(counts).toEqual([990, 10]);
    expect(values[1]).toBeGreaterThan(830);
  });

  it('of two are those of both, and of none nothing', () => {
    const bins = binsOf(1, 1);
    bins.merge(binsOf(1, 50));

    expect(bins.distribution()?.counts).toEqual([3, 1]);
    expect(binsOf().distribution()).toBeUndefined();
  });
});
