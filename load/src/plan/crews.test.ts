import { describe, expect, it } from 'vitest';
import { crewsFor, crewsText, mostUsersPerWorker, type Scaling } from './crews.js';
import { PROFILES, profiled } from './profiles.js';
import type { Arrival } from './shapes.js';

const HOUR_MS = 3_600_000;
const size = { users: 120, durationMs: 24 * HOUR_MS, cascade: false, callers: 1, requestTimeoutMs: 1_000 } as const;
const settings = { ...size, mode: 'direct', run: 'r', table: 't', namespace: 'n', endpoint: 'http://127.0.0.1:1', region: 'r' } as const;
const scaling = (more: Partial<Scaling> = {}): Scaling => ({ usersPerWorker: 10, minWorkers: 1, maxWorkers: 100, ...more });

/** How many users there are at a moment, by brute force. */
function usersAt(arrival: Extract<Arrival, { kind: 'crowd' }>, atMs: number): number {
  let [fromMs, level] = [0, arrival.fromUsers];
  for (const { durationMs, target } of arrival.stages) {
    if (atMs < fromMs + durationMs) return level + ((target - level) * (atMs - fromMs)) / durationMs;
    [fromMs, level] = [fromMs + durationMs, target];
  }
  return level;
}

describe('crews', () => {
  it('of a day follow its hours: one worker for the night, all for the plateau', () => {
    const crews = crewsFor(profiled(PROFILES.daily, settings), scaling({ usersPerWorker: 20 }), 120);

    expect(crews.map(({ workers, fromSec, toSec, users }) => [fromSec / 3_600, toSec / 3_600, users, workers])).toEqual([
      [0, 6, 12, 1],
      [6, 7, 35, 2],
      [7, 8, 58, 3],
      [8, 9, 81, 5],
      [9, 18, 120, 6],
      [18, 19, 96, 5],
      [19, 20, 78, 4],
      [20, 22, 60, 3],
      [22, 23, 24, 2],
      [23, 24, 18, 1],
    ]);
  });

  it.each(['daily', 'morning-spike'] as const)('of %s leave no moment out, and nobody has more users than was said', (shape) => {
    for (const [durationMs, leadSec, usersPerWorker] of [
      [24 * HOUR_MS, 120, 7],
      [HOUR_MS, 10, 10],
      [61_000, 3, 1],
      [2_000, 3, 50],
    ] as const) {
      const arrival = profiled(PROFILES[shape], { ...settings, durationMs }) as Extract<Arrival, { kind: 'crowd' }>;
      const crews = crewsFor(arrival, scaling({ usersPerWorker, maxWorkers: 1_000 }), leadSec);

      expect(crews[0]?.fromSec).toBe(0);
      expect(crews.at(-1)?.toSec).toBe(durationMs / 1_000);
      for (const [at, crew] of crews.slice(1).entries()) {
        expect(crew.fromSec).toBe(crews[at]?.toSec);
        expect(crew.workers).not.toBe(crews[at]?.workers);
        // Its successor has had the time to start.
        expect(crew.toSec - crew.fromSec).toBeGreaterThanOrEqual(leadSec);
      }
      for (const { workers, fromSec, toSec, users = 0 } of crews)
        for (let ms = fromSec * 1_000; ms < toSec * 1_000; ms += durationMs / 500) {
          expect(usersAt(arrival, ms)).toBeLessThanOrEqual(users + 1e-6);
          expect(usersAt(arrival, ms)).toBeLessThanOrEqual(workers * usersPerWorker + 1e-6);
        }
    }
  });

  it('of a rate that changes have the share of users that the rate has of its peak', () => {
    const arrival: Arrival = {
      kind: 'ramp',
      fromPerSecond: 5,
      users: 40,
      stages: [
        { target: 5, durationMs: 60_000 },
        { target: 20, durationMs: 0 },
        { target: 20, durationMs: 60_000 },
      ],
    };
    expect(crewsFor(arrival, scaling(), 20)).toEqual([
      { workers: 1, fromSec: 0, toSec: 60, users: 10 },
      { workers: 4, fromSec: 60, toSec: 120, users: 40 },
    ]);
  });

  it.each<[string, Arrival]>([
    ['users', { kind: 'users', users: 45, durationMs: 60_000 }],
    ['a rate', { kind: 'rate', perSecond: 9, users: 45, durationMs: 60_000 }],
  ])('of %s that do not change are one', (_, arrival) => {
    expect(crewsFor(arrival, scaling(), 3)).toEqual([{ workers: 5, fromSec: 0, toSec: 60, users: 45 }]);
  });

  it('are not fewer than the least and not more than the most, nor more than users', () => {
    const users = (count: number): Arrival => ({ kind: 'users', users: count, durationMs: 60_000 });
    const workersOf = (count: number, more: Partial<Scaling>): unknown =>
      crewsFor(users(count), scaling(more), 3).map(({ workers }) => workers);

    expect(workersOf(12, { minWorkers: 4 })).toEqual([4]);
    expect(workersOf(3, { minWorkers: 4 })).toEqual([3]);
    expect(workersOf(300, { maxWorkers: 4 })).toEqual([4]);
    expect(mostUsersPerWorker(crewsFor(users(300), scaling({ maxWorkers: 4 }), 3))).toBe(75);
  });

  it('are told by how many there are', () => {
    expect(crewsText([{ workers: 2, fromSec: 0, toSec: 1 }])).toBe('2 workers');
    const [few, many] = [
      { workers: 1, fromSec: 0, toSec: 1 },
      { workers: 5, fromSec: 1, toSec: 2 },
    ];
    expect(crewsText([few, many], 'lambda workers')).toBe('1 to 5 lambda workers');
  });
});
