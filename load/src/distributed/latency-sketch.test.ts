import { describe, expect, it } from 'vitest';
import { LatencySketch } from './latency-sketch.js';

function sketchOf(values: readonly number[]): LatencySketch {
  const sketch = LatencySketch.empty();
  for (const value of values) sketch.record(value);
  return sketch;
}

/** Two workers, one of them near its table and one far: k6's percentiles of each, and of all. */
const near = Array.from({ length: 900 }, (_, at) => 4 + (at % 90) / 10);
const far = Array.from({ length: 300 }, (_, at) => 35 + (at % 60) / 2);
const pooled = [...near, ...far].sort((a, b) => a - b);
const truth = (percent: number): number => pooled[Math.ceil((percent / 100) * pooled.length) - 1] as number;

describe('values of several workers', () => {
  it('have the percentiles of all values together', () => {
    const all = sketchOf(near);
    all.add(sketchOf(far));
    expect(all.count).toBe(1_200);
    for (const percent of [50, 90, 95, 99, 100]) {
      expect(Math.abs(all.percentile(percent) / truth(percent) - 1), `p${percent}`).toBeLessThan(0.01);
    }
  });

  it('do not have the mean of the percentiles', () => {
    const average = (sketchOf(near).percentile(95) + sketchOf(far).percentile(95)) / 2;
    expect(Math.abs(average / truth(95) - 1)).toBeGreaterThan(0.2);
  });

  it('come back from their text, with sum and largest', () => {
    const sketch = sketchOf([0, 0.4, 12.5, 60_000]);
    const back = LatencySketch.fromJSON(JSON.parse(JSON.stringify(sketch)));
    expect([back.count, back.mean, back.min]).toEqual([4, sketch.mean, 0]);
    expect(back.percentile(99)).toBe(sketch.percentile(99));
    expect(Math.abs(back.max / 60_000 - 1)).toBeLessThan(0.002);
    back.record(1);
    expect([back.count, sketch.count]).toEqual([5, 4]);
  });

  it('cost a few kilobytes, however many they are', () => {
    const sketch = LatencySketch.empty();
    for (let at = 0; at < 50_000; at++) sketch.record(1 + (at % 997) / 7);
    expect(JSON.stringify(sketch).length).toBeLessThan(6_000);
  });

  it('are nothing when there are none', () => {
    const none = LatencySketch.empty();
    expect([none.count, none.mean, none.max, none.percentile(95)]).toEqual([0, 0, 0, 0]);
  });

  it('count as 0 where a clock was set back', () => {
    expect(sketchOf([-3]).percentile(50)).toBe(0);
  });
});
