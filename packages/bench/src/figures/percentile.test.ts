import { describe, expect, it } from 'vitest';
import { LatencySample } from './latency-sample.js';
import { median, percentile } from './percentile.js';

describe('a percentile', () => {
  it.each([
    [[7], 0.5, 7],
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3, 4], 0.51, 3],
    [[1, 2, 3, 4], 0.99, 4],
    [[1, 2, 3, 4], 0, 1],
  ])('of %j at %d is the nearest rank, %d', (sorted, share, expected) => {
    expect(percentile(sorted, share)).toBe(expected);
  });

  it('of nothing is no number', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('a median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[10, 9], 9.5],
    [[5], 5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('of nothing is no number, and it leaves its values in their order', () => {
    const values = [3, 1, 2];
    median(values);

    expect(values).toEqual([3, 1, 2]);
    expect(median([])).toBeNaN();
  });
});

describe('a sample of latencies', () => {
  it('is exact while there are few', () => {
    const sample = new LatencySample();
    for (let value = 100; value >= 1; value -= 1) sample.add(value);

    expect(sample.percentiles()).toEqual({ p50Ms: 50, p99Ms: 99 });
  });

  it('stays even over a run that is far longer than its memory', () => {
    const sample = new LatencySample();
    const count = 1_000_000;
    for (let index = 0; index < count; index += 1) sample.add(index);

    const { p50Ms, p99Ms } = sample.percentiles();
    expect(p50Ms / count).toBeCloseTo(0.5, 2);
    expect(p99Ms / count).toBeCloseTo(0.99, 2);
  });
});
