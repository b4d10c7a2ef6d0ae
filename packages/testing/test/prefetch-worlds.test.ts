import { Limit } from '@millrace/core';
import { type PrefetchFigures, type PrefetchWorld, runPrefetch, simulate } from '@millrace/testing/simulator';
import { describe, expect, it } from 'vitest';

/** Buckets that four processes share, each with a lifetime in which a process comes about five times even at a tenth of its rate. */
const WORLDS: readonly (readonly [name: string, lifetimeMs: number, world: Omit<PrefetchWorld, 'load' | 'processes'>])[] = [
  ['20,000 a second', 1_000, { limit: Limit.perSecond('fast', 20_000, { capacity: 10_000 }), maxCost: 20, durationMs: 6_000 }],
  ['6,000 a minute', 5_000, { limit: Limit.perMinute('rpm', 6_000), maxCost: 1, durationMs: 90_000 }],
];
const SEEDS = [1, 2];

async function run(world: PrefetchWorld): Promise<Omit<PrefetchFigures, 'broken'>> {
  const totals = { acquires: 0, admitted: 0, askedTokens: 0, admittedTokens: 0, writes: 0, excessTokens: 0 };
  for (const seed of SEEDS) {
    const { broken, ...figures } = await runPrefetch(seed, world);
    expect(broken).toEqual([]);
    for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += figures[key];
  }
  return totals;
}

describe.each(WORLDS)('four processes that take ahead from a bucket of %s', (_, lifetimeMs, world) => {
  it.each([0.1, 0.3, 0.6, 0.9])(
    'at a load of %f need less than 0.3 writes for an acquire, and are admitted no more than the bound',
    async (load) => {
      const figures = await run({ ...world, load, processes: 4, prefetch: { lifetimeMs } });

      expect(figures.writes / figures.acquires).toBeLessThanOrEqual(0.3);
      expect([figures.admitted, figures.excessTokens]).toEqual([figures.acquires, 0]);
    },
  );

  it('at five times its rate are no worse off than without', async () => {
    const overload = { ...world, load: 5, processes: 4 };
    const [ahead, plain] = [await run({ ...overload, prefetch: { lifetimeMs } }), await run(overload)];

    expect(ahead.acquires).toBe(plain.acquires);
    expect(ahead.writes).toBeLessThanOrEqual(plain.writes);
    // Which of many is the last to fit is chance: a few requests' worth either way.
    expect(ahead.admittedTokens).toBeGreaterThanOrEqual(plain.admittedTokens - SEEDS.length * 4 * world.maxCost);
    expect(ahead.excessTokens).toBe(0);
  });
});

describe('the simulated worlds', () => {
  it('break no invariant where processes take ahead, with wrong clocks, lost replies, crashes and cascades', async () => {
    for (let seed = 1; seed <= 24; seed += 1) {
      const { broken } = await simulate(seed, 1_200, { prefetch: { lifetimeMs: seed % 2 === 0 ? 500 : 20_000 } });
      expect([seed, broken]).toEqual([seed, []]);
    }
  });
});
