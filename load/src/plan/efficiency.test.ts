import { describe, expect, it } from 'vitest';
import { capacityMarkdown, renderCapacity, workersFor } from './capacity.js';
import { type SearchBounds, type Step, searchUsers } from './efficiency.js';

const BOUNDS: SearchBounds = { maxUsers: 200, threshold: 0.8, baselineMs: 60_000, stepMs: 30_000, mostSteps: 8 };

/** A worker whose waits grow once so many users are there; it notes what it is asked. */
function workerOf(p50Of: (users: number) => number, perUserSecond = 10) {
  const asked: { users: number; durationMs: number }[] = [];
  const measure = async (users: number, durationMs: number): Promise<Step> => {
    asked.push({ users, durationMs });
    const perSecond = users * perUserSecond;
    return {
      users,
      acquires: Math.floor((perSecond * durationMs) / 1_000),
      perSecond,
      p50: p50Of(users),
      p95: 2 * p50Of(users),
      cpuPercent: users,
    };
  };
  return { asked, measure };
}

describe('the search for the most users of a worker', () => {
  it.each([
    ['a knee', (users: number) => (users <= 57 ? 10 : 10 + (users - 57)), 59],
    ['a slope', (users: number) => 10 + users / 20, 52],
    ['a cliff', (users: number) => (users <= 150 ? 10 : 1_000), 150],
  ])('comes within a twentieth of %s, in few measurements', async (_, p50Of, best) => {
    const { asked, measure } = workerOf(p50Of);
    const found = await searchUsers({ ...BOUNDS, mostSteps: 12 }, measure);

    expect(Math.abs(found.users - best)).toBeLessThanOrEqual(Math.ceil(0.06 * best));
    expect(found.isBound).toBe(false);
    expect(asked.length).toBeLessThanOrEqual(13);
    const kept = found.steps.find(({ users }) => users === found.users);
    expect(kept?.efficiency).toBeGreaterThanOrEqual(0.8);
  });

  it('never measures more often than it may, and tells the best that it has seen', async () => {
    const { asked, measure } = workerOf((users) => (users <= 190 ? 10 : 10_000));
    const found = await searchUsers({ ...BOUNDS, maxUsers: 100_000, mostSteps: 3 }, measure);

    expect(asked).toHaveLength(4);
    expect(found.users).toBeLessThanOrEqual(190);
  });

  it('ends at its bound where that is carried as well, and says that there may be more', async () => {
    const { asked, measure } = workerOf(() => 10);
    const found = await searchUsers(BOUNDS, measure);

    expect(found).toMatchObject({ users: 200, isBound: true });
    expect(asked.map(({ users }) => users)).toEqual([1, 200]);
    expect(renderCapacity({ ...found, scenario: 'simple', runtime: 'local', startedAt: '' })).toContain('perhaps more');
  });

  it('measures one user for as long as a hundred acquires take, and every step as long', async () => {
    const { asked, measure } = workerOf(() => 10, 1);
    await searchUsers({ ...BOUNDS, baselineMs: 50_000 }, measure);

    expect(asked[0]).toEqual({ users: 1, durationMs: 50_000 });
    expect(asked[1]).toEqual({ users: 1, durationMs: 120_000 });
    expect(asked[2]).toEqual({ users: 200, durationMs: 120_000 });
  });

  it('gives up on a scenario in which one user hardly acquires', async () => {
    const { asked, measure } = workerOf(() => 10, 0.01);

    await expect(searchUsers(BOUNDS, measure)).rejects.toThrow('a median takes 100');
    expect(asked.length).toBeLessThanOrEqual(3);
  });
});

describe('the table of capacity', () => {
  it('has users, rate, CPU, p50, p95 and efficiency by users, marks what is too slow, and says how many workers are wanted', async () => {
    const { measure } = workerOf((users) => (users <= 57 ? 10 : 10 + (users - 57)));
    const tuned = { ...(await searchUsers(BOUNDS, measure)), scenario: 'simple', runtime: 'lambda', startedAt: '2026-01-01T00:00:00.000Z' };

    const users = tuned.steps.map((step) => step.users);
    expect(users).toEqual([...users].sort((a, b) => a - b));
    for (const text of [renderCapacity(tuned), capacityMarkdown(tuned)]) {
      expect(text).toMatch(/users.*per second.*CPU.*p50 ms.*p95 ms.*efficiency/);
      expect(text).toMatch(/200.*2,000.*200 %.*153.*306.*7 % ✗/);
      expect(text).toContain(`1000 users take ${workersFor(tuned, 1_000)}`);
    }
  });
});
