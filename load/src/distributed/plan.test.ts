import { describe, expect, it } from 'vitest';
import { planWorkers } from './plan.js';

describe('a plan', () => {
  it('gives each worker its share of the whole test', () => {
    const plan = planWorkers({ workers: 3, durationSec: 60, leadSec: 5 });
    expect(plan.map(({ segment }) => segment)).toEqual(['0:1/3', '1/3:2/3', '2/3:1']);
    expect(new Set(plan.map(({ sequence }) => sequence))).toEqual(new Set(['0,1/3,2/3,1']));
    expect(plan.map(({ fromSec, toSec, launchAtSec }) => [fromSec, toSec, launchAtSec])).toEqual([
      [0, 60, -5],
      [0, 60, -5],
      [0, 60, -5],
    ]);
  });

  it('writes shares in lowest terms', () => {
    expect(planWorkers({ workers: 4, durationSec: 1, leadSec: 0 }).map(({ segment }) => segment)).toEqual([
      '0:1/4',
      '1/4:1/2',
      '1/2:3/4',
      '3/4:1',
    ]);
    expect(planWorkers({ workers: 1, durationSec: 1, leadSec: 0 })[0]?.segment).toBe('0:1');
  });

  it('launches a successor ahead of the moment at which a worker must end', () => {
    const plan = planWorkers({ workers: 2, durationSec: 1_800, longestSec: 780, leadSec: 20 });
    const first = plan.filter(({ worker }) => worker === 0);
    expect(first.map(({ slice, fromSec, toSec, launchAtSec }) => [slice, fromSec, toSec, launchAtSec])).toEqual([
      [0, 0, 600, -20],
      [1, 600, 1_200, 580],
      [2, 1_200, 1_800, 1_180],
    ]);
  });

  it('leaves no moment of the test without a worker and none with two', () => {
    for (const [durationSec, longestSec] of [
      [1_000, 300],
      [7, 2],
      [780, 780],
      [781, 780],
    ] as const) {
      const parts = planWorkers({ workers: 1, durationSec, longestSec, leadSec: 1 });
      expect(parts[0]?.fromSec).toBe(0);
      expect(parts.at(-1)?.toSec).toBe(durationSec);
      for (const [at, part] of parts.slice(1).entries()) expect(part.fromSec).toBe(parts[at]?.toSec);
      for (const { fromSec, toSec } of parts) expect(toSec - fromSec).toBeLessThanOrEqual(longestSec + 1e-9);
    }
  });

  it.each([
    { workers: 0, durationSec: 1 },
    { workers: 1.5, durationSec: 1 },
    { workers: 1, durationSec: 0 },
    { workers: 1, durationSec: 1, longestSec: 0 },
  ])('refuses $workers workers for $durationSec s', (request) => {
    expect(() => planWorkers({ leadSec: 0, ...request })).toThrow(/expected|must|a whole number|more than 0/);
  });
});
