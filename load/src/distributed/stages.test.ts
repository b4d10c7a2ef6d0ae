import { describe, expect, it } from 'vitest';
import { type Shape, sliceShape } from './stages.js';

const spike: Shape = {
  start: 10,
  stages: [
    { durationSec: 60, target: 10 },
    { durationSec: 20, target: 50 },
    { durationSec: 40, target: 50 },
    { durationSec: 0, target: 10 },
    { durationSec: 60, target: 10 },
  ],
};

/** The level of a shape at a moment, by brute force. */
function levelAt({ start, stages }: Shape, momentSec: number): number {
  let [atSec, level] = [0, start];
  for (const { durationSec, target } of stages) {
    if (momentSec < atSec + durationSec) return level + ((target - level) * (momentSec - atSec)) / durationSec;
    [atSec, level] = [atSec + durationSec, target];
  }
  return level;
}

describe('a part of a shape', () => {
  it('is on the same line as the whole', () => {
    for (const [fromSec, toSec] of [
      [0, 180],
      [0, 70],
      [70, 110],
      [110, 180],
      [65, 66],
    ] as const) {
      const part = sliceShape(spike, fromSec, toSec);
      expect(part.stages.reduce((sum, { durationSec }) => sum + durationSec, 0)).toBe(toSec - fromSec);
      for (let sec = fromSec; sec < toSec; sec += 0.5)
        expect(levelAt(part, sec - fromSec), `${fromSec}-${toSec} at ${sec}`).toBeCloseTo(levelAt(spike, sec), 9);
    }
  });

  it('begins in the middle of a ramp where its predecessor ended', () => {
    expect(sliceShape(spike, 70, 90)).toEqual({
      start: 30,
      stages: [
        { durationSec: 10, target: 50 },
        { durationSec: 10, target: 50 },
      ],
    });
    expect(sliceShape(spike, 0, 70).stages.at(-1)?.target).toBe(30);
  });
});
