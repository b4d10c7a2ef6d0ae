import { StoreFailure } from '@millrace/core';
import type { Engine } from '@millrace/limiter/engine';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';

let world: ConfigWorld;
let engine: Engine;

beforeEach(async () => {
  world = new ConfigWorld();
  world.set({ level: 'system' }, { limits: [rpm(10)] });
  engine = world.open();
  await engine.explain('key', RESOURCE);
});

const verdictsOf = (costs: readonly number[], by = engine) =>
  Promise.all(costs.map(async (cost) => (await by.tryAcquire('key', RESOURCE, { rpm: cost })).allowed));
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

/** Holds the next write until it is let go. */
function holdWrite(): { readonly arrived: Promise<void>; readonly letGo: () => void } {
  let letGo: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    world.store.onWrite = () => {
      world.store.onWrite = () => undefined;
      resolve();
      return new Promise<void>((go) => {
        letGo = go;
      });
    };
  });
  return { arrived, letGo: () => letGo() };
}

/** Loses the next replies to writes: those of one entity, or all. */
function loseReplies(times: number, entity?: string): void {
  let left = times;
  world.store.mishapOf = ({ ref }) => {
    if (left <= 0 || (entity !== undefined && ref.entity !== entity)) return undefined;
    left -= 1;
    return { when: 'after', failure: new StoreFailure('timeout', 'unknown', 'lost') };
  };
}

describe('callers of one bucket', () => {
  it('that come at once are taken for by one write', async () => {
    world.set({ level: 'system' }, { limits: [rpm(1_000)] });
    const busy = world.open();

    expect(
      await verdictsOf(
        times(64, () => 2),
        busy,
      ),
    ).toEqual(times(64, () => true));

    expect(world.store.writes).toHaveLength(1);
    expect(world.net('key', 'rpm')).toBe(128);
  });

  it('that come while a write is on its way are taken for by the next', async () => {
    const held = holdWrite();
    const first = verdictsOf([1]);
    await held.arrived;
    const later = verdictsOf([1, 1, 1, 1]);
    await engine.explain('key', RESOURCE);
    held.letGo();

    expect(await Promise.all([first, later])).toEqual([[true], [true, true, true, true]]);
    expect(world.store.writes).toHaveLength(2);
  });

  it('are admitted in the order in which they came, and the rest is told when to come again', async () => {
    const verdicts = await Promise.all(times(15, () => engine.tryAcquire('key', RESOURCE, { rpm: 1 })));

    expect(verdicts.map(({ allowed }) => allowed)).toEqual(times(15, (index) => index < 10));
    expect(verdicts.slice(10)).toMatchObject(times(5, () => ({ retryAfterMs: 6_000, statuses: [{ available: 0, exceeded: true }] })));
    expect(world.store.writes).toHaveLength(1);
  });

  it('do not wait behind one that is too large for what is left', async () => {
    expect(await verdictsOf([4, 8, 3, 3, 1])).toEqual([true, false, true, true, false]);
    expect(world.net('key', 'rpm')).toBe(10);
  });

  it('that are all too late cost one write together', async () => {
    await world.open().acquire('key', RESOURCE, { rpm: 10 });

    expect(await verdictsOf(times(20, () => 1))).toEqual(times(20, () => false));

    expect(world.store.writes).toHaveLength(2);
  });

  it('that another process was faster than get what is left, in their order', async () => {
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    await world.open().acquire('key', RESOURCE, { rpm: 6 });

    expect(await verdictsOf([1, 1, 1, 1, 1])).toEqual([true, true, true, false, false]);
    expect(world.net('key', 'rpm')).toBe(10);
  });

  it('settle each for itself', async () => {
    const leases = await Promise.all([2, 3, 4].map((cost) => engine.acquire('key', RESOURCE, { rpm: cost })));
    await leases[1]?.release();
    await leases[2]?.adjust({ rpm: -1 });

    expect(leases.map(({ consumed }) => consumed['rpm'])).toEqual([2, 0, 3]);
    expect(world.net('key', 'rpm')).toBe(5);
    expect(await engine.available('key', RESOURCE)).toEqual({ rpm: 5 });
  });

  it('equal single ones, one after the other, whatever they ask', async () => {
    const anyCosts = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(anyCosts, fc.integer({ min: 0, max: 10 }), async (costs, taken) => {
        const [grouped, single] = [new ConfigWorld(), new ConfigWorld()];
        const verdicts: boolean[][] = [];
        for (const [own, isGrouped] of [
          [grouped, true],
          [single, false],
        ] as const) {
          own.set({ level: 'system' }, { limits: [rpm(10)] });
          const process = own.open();
          if (taken > 0) await process.acquire('key', RESOURCE, { rpm: taken });
          const results: boolean[] = [];
          if (isGrouped) results.push(...(await verdictsOf(costs, process)));
          else for (const cost of costs) results.push(...(await verdictsOf([cost], process)));
          verdicts.push(results);
        }
        expect(verdicts[0]).toEqual(verdicts[1]);
        expect(grouped.net('key', 'rpm')).toBe(single.net('key', 'rpm'));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a caller that waits for its turn', () => {
  it('and is aborted is never taken for', async () => {
    const held = holdWrite();
    const controller = new AbortController();
    const first = engine.acquire('key', RESOURCE, { rpm: 1 });
    await held.arrived;
    const second = engine.acquire('key', RESOURCE, { rpm: 5 }, { signal: controller.signal });
    await engine.explain('key', RESOURCE);
    controller.abort();
    held.letGo();

    await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
    await first;
    await engine.close();
    expect(world.store.writes).toHaveLength(1);
  });

  it('hears of its deadline, and takes nothing', async () => {
    const held = holdWrite();
    const first = engine.acquire('key', RESOURCE, { rpm: 1 });
    await held.arrived;
    const second = engine.acquire('key', RESOURCE, { rpm: 5 });
    await engine.explain('key', RESOURCE);
    world.runtime.advance(5_001);
    held.letGo();

    await expect(second).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('deadline') });
    await first;
    expect(world.net('key', 'rpm')).toBe(1);
  });

  it('is not grouped with one that knows other limits', async () => {
    const verdicts = await Promise.all([
      engine.tryAcquire('key', RESOURCE, { rpm: 1 }, { limits: [rpm(10)] }),
      engine.tryAcquire('key', RESOURCE, { rpm: 1 }, { limits: [rpm(20)] }),
    ]);

    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true]);
    expect(world.store.writes.filter(({ moves }) => moves.some(({ form }) => form === 'busy' || form === 'idle')).length).toBeGreaterThan(
      1,
    );
    expect(world.net('key', 'rpm')).toBe(2);
  });
});

describe('a write for several', () => {
  it('that goes wrong as nobody foresaw is heard of by all, and the bucket is served again', async () => {
    world.store.mishapOf = () => {
      throw new TypeError('nobody foresaw this');
    };
    const results = await Promise.allSettled([1, 2, 3].map((cost) => engine.acquire('key', RESOURCE, { rpm: cost })));
    world.store.mishapOf = () => undefined;

    expect(results).toMatchObject([1, 2, 3].map(() => ({ status: 'rejected', reason: { message: 'nobody foresaw this' } })));
    expect(await verdictsOf([10])).toEqual([true]);
  });

  it('whose reply is lost is resolved for all of them by its request id', async () => {
    loseReplies(1);

    const leases = await Promise.all([1, 2, 3].map((cost) => engine.acquire('key', RESOURCE, { rpm: cost })));

    expect(leases.map(({ consumed }) => consumed['rpm'])).toEqual([1, 2, 3]);
    expect(world.store.writes).toHaveLength(2);
    expect(world.net('key', 'rpm')).toBe(6);
    expect(engine.stats.snapshot()).toMatchObject({ recoveredReplies: 1, lostReplies: 0 });
  });

  it('whose reply is lost at a shared parent is resolved for all its children', async () => {
    world.place('parent');
    for (const child of ['a', 'b', 'c']) world.place(child, 'parent');
    for (const child of ['a', 'b', 'c']) await engine.explain(child, RESOURCE);
    loseReplies(1, 'parent');

    const leases = await Promise.all(['a', 'b', 'c'].map((child) => engine.acquire(child, RESOURCE, { rpm: 3 })));

    expect(leases.map(({ degraded }) => degraded)).toEqual([false, false, false]);
    expect(world.store.writes.filter(({ ref }) => ref.entity === 'parent')).toHaveLength(2);
    expect(['parent', 'a', 'b', 'c'].map((entity) => world.net(entity, 'rpm'))).toEqual([9, 3, 3, 3]);
    await Promise.all(leases.map((lease) => lease.release()));
    expect(['parent', 'a', 'b', 'c'].map((entity) => world.net(entity, 'rpm'))).toEqual([0, 0, 0, 0]);
  });

  it('whose every reply is lost fails them all, leaks their tokens once, and mints nothing', async () => {
    loseReplies(Number.POSITIVE_INFINITY);

    const results = await Promise.allSettled([1, 2, 3].map((cost) => engine.acquire('key', RESOURCE, { rpm: cost })));

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(world.store.writes.length).toBeGreaterThan(1);
    expect(world.net('key', 'rpm')).toBe(6);
  });

  it('is one for a parent of a thousand children', async () => {
    world.set({ level: 'system' }, { limits: [rpm(100_000)] });
    world.place('parent');
    for (let index = 0; index < 1_000; index += 1) world.place(`child-${index}`, 'parent');
    const process = world.open({ maxEntries: 10_000 });
    for (let index = 0; index < 1_000; index += 1) await process.explain(`child-${index}`, RESOURCE);

    await Promise.all(times(1_000, (index) => process.acquire(`child-${index}`, RESOURCE, { rpm: 1 })));

    expect(world.store.writes.filter(({ ref }) => ref.entity === 'parent').length).toBeLessThanOrEqual(2);
    expect(world.net('parent', 'rpm')).toBe(1_000);
  });
});
