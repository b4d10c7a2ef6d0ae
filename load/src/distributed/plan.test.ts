import { describe, expect, it } from 'vitest';
import { steadyCrew } from '../plan/crews.js';
import { planWorkers } from './plan.js';

describe('a plan', () => {
  it('gives each worker its share of the whole test', () => {
    const plan = planWorkers({ crews: steadyCrew(3, 60), leadSec: 5 });
    expect(plan.map(({ segment }) => segment)).toEqual(['0:1/3', '1/3:2/3', '2/3:1']);
    expect(new Set(plan.map(({ sequence }) => sequence))).toEqual(new Set(['0,1/3,2/3,1']));
    expect(plan.map(({ fromSec, toSec, launchAtSec }) => [fromSec, toSec, launchAtSec])).toEqual([
      [0, 60, -5],
      [0, 60, -5],
      [0, 60, -5],
    ]);
  });

  it('writes shares in lowest terms', () => {
    expect(planWorkers({ crews: steadyCrew(4, 1), leadSec: 0 }).map(({ segment }) => segment)).toEqual([
      '0:1/4',
      '1/4:1/2',
      '1/2:3/4',
      '3/4:1',
    ]);
    expect(planWorkers({ crews: steadyCrew(1, 1), leadSec: 0 })[0]?.segment).toBe('0:1');
  });

  it('launches a successor ahead of the moment at which a worker must end', () => {
    const plan = planWorkers({ crews: steadyCrew(2, 1_800), longestSec: 780, leadSec: 20 });
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
      const parts = planWorkers({ crews: steadyCrew(1, durationSec), longestSec, leadSec: 1 });
      expect(parts[0]?.fromSec).toBe(0);
      expect(parts.at(-1)?.toSec).toBe(durationSec);
      for (const [at, part] of parts.slice(1).entries()) expect(part.fromSec).toBe(parts[at]?.toSec);
      for (const { fromSec, toSec } of parts) expect(toSec - fromSec).toBeLessThanOrEqual(longestSec + 1e-9);
    }
  });

  it('gives each crew shares of its own, started ahead of the moment at which the one before it ends', () => {
    const crews = [
      { workers: 1, fromSec: 0, toSec: 600, users: 10 },
      { workers: 3, fromSec: 600, toSec: 1_800, users: 30 },
      { workers: 2, fromSec: 1_800, toSec: 2_000, users: 20 },
    ];
    const plan = planWorkers({ crews, longestSec: 700, leadSec: 20 });

    expect(plan.map(({ slice, segment, users, launchAtSec, toSec }) => [slice, segment, users, launchAtSec, toSec])).toEqual([
      [0, '0:1', 10, -20, 600],
      [1, '0:1/3', 30, 580, 1_200],
      [1, '1/3:2/3', 30, 580, 1_200],
      [1, '2/3:1', 30, 580, 1_200],
      [2, '0:1/3', 30, 1_180, 1_800],
      [2, '1/3:2/3', 30, 1_180, 1_800],
      [2, '2/3:1', 30, 1_180, 1_800],
      [3, '0:1/2', 20, 1_780, 2_000],
      [3, '1/2:1', 20, 1_780, 2_000],
    ]);
    // k6 gives each turn to one worker only if all of a slice know the same shares.
    for (const slice of [0, 1, 2, 3])
      expect(new Set(plan.filter((each) => each.slice === slice).map(({ sequence }) => sequence)).size).toBe(1);
  });

  it.each([
    { workers: 0, durationSec: 1 },
    { workers: 1.5, durationSec: 1 },
    { workers: 1, durationSec: 0 },
    { workers: 1, durationSec: 1, longestSec: 0 },
  ])('refuses $workers workers for $durationSec s', ({ workers, durationSec, ...more }) => {
    expect(() => planWorkers({ leadSec: 0, crews: steadyCrew(workers, durationSec), ...more })).toThrow(
      /expected|must|a whole number|more than 0/,
    );
  });
});
