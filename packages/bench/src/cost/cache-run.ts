import { type CacheRow, UNITS_PER_ITEM } from '@millrace/cost';
import { type Ground, RESOURCE } from './ground.js';

const TTL_SEC = 60;

/** How often an item was found in memory, and how many were read, to each time that an entity's configuration was asked for. */
export interface CacheCount {
  readonly hitRate: number;
  readonly readsPerAsk: number;
}

/**
 * Asks for one entity's configuration at random moments, so many times a second for so many seconds, and counts. Asking
 * (`explain`) does what an acquire does before its write. The first reading, of a process that knows nothing, is left out.
 */
export async function countCache(ground: Ground, { ratePerSec }: CacheRow, seconds: number): Promise<CacheCount> {
  const { meter, runtime } = ground;
  const limiter = await ground.open({ configTtlMs: TTL_SEC * 1_000 });
  const entity = `cached-${ratePerSec}`;
  await meter.uncounted(async () => {
    await limiter.entities.create(entity);
    await limiter.explain(entity, RESOURCE);
  });
  const [before, cacheBefore] = [meter.units, limiter.cacheStats()];
  const asks = ratePerSec * seconds;
  for (let ask = 0; ask < asks; ask += 1) {
    runtime.advance((-Math.log(1 - runtime.random()) / ratePerSec) * 1_000);
    const { refreshes } = limiter.cacheStats();
    await limiter.explain(entity, RESOURCE);
    if (limiter.cacheStats().refreshes > refreshes) await meter.settled();
  }
  const cache = limiter.cacheStats();
  const [hits, misses] = [cache.hits - cacheBefore.hits, cache.misses - cacheBefore.misses];
  return { hitRate: hits / (hits + misses), readsPerAsk: (meter.units.readUnits - before.readUnits) / UNITS_PER_ITEM / asks };
}
