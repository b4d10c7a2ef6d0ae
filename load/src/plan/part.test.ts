import { describe, expect, it } from 'vitest';
import { partOf } from './part.js';
import { type Arrival, durationOf } from './shapes.js';

type Ramp = Extract<Arrival, { kind: 'ramp' }>;
const spike: Ramp = {
  kind: 'ramp',
  users: 5,
  fromPerSecond: 10,
  stages: [
    { durationMs: 60_000, target: 10 },
    { durationMs: 20_000, target: 50 },
    { durationMs: 40_000, target: 50 },
    { durationMs: 0, target: 10 },
    { durationMs: 60_000, target: 10 },
  ],
};

/** The rate at a moment, by brute force. */
function rateAt({ fromPerSecond, stages }: Ramp, momentMs: number): number {
  let [atMs, level] = [0, fromPerSecond];
  for (const { durationMs, target } of stages) {
    if (momentMs < atMs + durationMs) return level + ((target - level) * (momentMs - atMs)) / durationMs;
    [atMs, level] = [atMs + durationMs, target];
  }
  return level;
}

describe('a part of a run', () => {
  it.each([
    [0, 180_000],
    [0, 70_000],
    [70_000, 110_000],
    [110_000, 180_000],
    [119_000, 121_000],
    [120_000, 180_000],
  ])('from %d to %d ms is on the same line as the whole', (fromMs, toMs) => {
    const part = partOf(spike, { fromMs, toMs }) as Ramp;
    expect(durationOf(part)).toBe(toMs - fromMs);
    for (let ms = fromMs; ms < toMs; ms += 500) expect(rateAt(part, ms - fromMs), `at ${ms}`).toBeCloseTo(rateAt(spike, ms), 9);
  });

  it('begins in the middle of a ramp where its predecessor ended', () => {
    expect(partOf(spike, { fromMs: 70_000, toMs: 90_000 })).toMatchObject({
      fromPerSecond: 30,
      stages: [
        { durationMs: 10_000, target: 50 },
        { durationMs: 10_000, target: 50 },
      ],
    });
    expect((partOf(spike, { fromMs: 0, toMs: 70_000 }) as Ramp).stages.at(-1)?.target).toBe(30);
  });

  it('of what does not change is as long as the part', () => {
    const part = { fromMs: 5_000, toMs: 9_000 };
    expect(partOf({ kind: 'rate', perSecond: 7, users: 2, durationMs: 60_000 }, part)).toEqual({
      kind: 'rate',
      perSecond: 7,
      users: 2,
      durationMs: 4_000,
    });
    expect(partOf({ kind: 'users', users: 2, durationMs: 60_000 }, part)).toEqual({ kind: 'users', users: 2, durationMs: 4_000 });
    expect(partOf({ kind: 'crowd', fromUsers: 4, stages: [{ target: 8, durationMs: 10_000 }] }, part)).toEqual({
      kind: 'crowd',
      fromUsers: 6,
      stages: [{ target: 7.6, durationMs: 4_000 }],
    });
  });
});
