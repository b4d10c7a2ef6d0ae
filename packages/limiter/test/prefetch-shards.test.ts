import { describe, expect, it } from 'vitest';
import { RESOURCE, rpm } from './config-world.js';
import { PrefetchWorld } from './prefetch-world.js';

const SHARDING = { maxShards: 4, splitPerSec: 50, mergePerSec: 1, settleMs: 600_000 };

describe('a bucket that is spread over several items', () => {
  it('is taken ahead from item by item, and what was held when it was split comes back', async () => {
    const world = new PrefetchWorld();
    world.set({ level: 'system' }, { limits: [rpm(60_000, { capacity: 4_000 })] });
    const [plain, ahead] = [world.open({ sharding: SHARDING }), world.openAhead(true, { sharding: SHARDING })];
    const ask = (tokens: number, by = ahead) => by.tryAcquire('key', RESOURCE, { rpm: tokens });
    const shards = () => [0, 1, 2, 3].filter((shard) => world.net('key', 'rpm', shard) !== 0).length;
    let [admitted, prefetchedAfter] = [0, 0];
    for (let index = 0; index < 1_500; index += 1) {
      for (const by of [plain, ahead]) admitted += (await ask(1, by)).allowed ? 1 : 0;
      await world.sleepers.pass(10);
      if (shards() > 1 && prefetchedAfter === 0) prefetchedAfter = ahead.stats.snapshot().prefetched;
    }
    expect(shards()).toBeGreaterThan(1);
    expect(ahead.stats.snapshot().prefetched - prefetchedAfter).toBeGreaterThan(100);

    // More than an item's share: all items are charged, whatever is held of each.
    await world.sleepers.pass(10_000);
    expect(await ask(3_500)).toMatchObject({ allowed: true });
    expect(await ask(3_500)).toMatchObject({ allowed: false });

    await ahead.close();
    await plain.close();
    expect([0, 1, 2, 3].reduce((sum, shard) => sum + world.net('key', 'rpm', shard), 0)).toBe(admitted + 3_500);
  });
});
