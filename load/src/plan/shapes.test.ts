import { describe, expect, it } from 'vitest';
import { type Arrival, durationOf, k6Scenario, usersOf } from './shapes.js';

const STAGES = [
  { target: 10, durationMs: 1_000 },
  { target: 30.4, durationMs: 2_500 },
];

describe('an arrival', () => {
  it.each<[Arrival, object]>([
    [
      { kind: 'users', users: 20, durationMs: 1_500 },
      { executor: 'constant-vus', vus: 20, duration: '1500ms' },
    ],
    [
      { kind: 'rate', perSecond: 50, users: 10, durationMs: 1_000 },
      { executor: 'constant-arrival-rate', rate: 50, timeUnit: '1s', duration: '1000ms', preAllocatedVUs: 10, maxVUs: 10 },
    ],
    [
      { kind: 'ramp', fromPerSecond: 5, users: 10, stages: STAGES },
      {
        executor: 'ramping-arrival-rate',
        startRate: 300,
        timeUnit: '1m',
        stages: [
          { target: 600, duration: '1000ms' },
          { target: 1824, duration: '2500ms' },
        ],
      },
    ],
    [
      { kind: 'crowd', fromUsers: 3.6, stages: [] },
      { executor: 'ramping-vus', startVUs: 4, stages: [] },
    ],
    [
      { kind: 'crowd', fromUsers: 5, stages: STAGES },
      { executor: 'ramping-vus', startVUs: 5, gracefulRampDown: '30000ms' },
    ],
  ])('%o is one of the executors of k6', (arrival, expected) => {
    expect(k6Scenario(arrival)).toMatchObject({ ...expected, gracefulStop: '30000ms' });
  });

  it.each([
    [0.5, { rate: 30, timeUnit: '1m' }],
    [0.001, { rate: 4, timeUnit: '1h' }],
    [2.25, { rate: 135, timeUnit: '1m' }],
  ])('of %d a second is said in whole numbers, which are all that k6 takes', (perSecond, expected) => {
    expect(k6Scenario({ kind: 'rate', perSecond, users: 1, durationMs: 1 })).toMatchObject(expected);
  });

  it('lasts as long as its stages, and needs as many users as its fullest one', () => {
    const ramp: Arrival = { kind: 'ramp', fromPerSecond: 5, users: 10, stages: STAGES };

    expect([durationOf(ramp), usersOf(ramp)]).toEqual([3_500, 10]);
    expect(usersOf({ kind: 'crowd', fromUsers: 40, stages: STAGES })).toBe(40);
    expect(usersOf({ kind: 'crowd', fromUsers: 5, stages: STAGES })).toBe(30.4);
  });
});
