/** An item is read again ahead of its expiry, at a moment between these shares of its life, each item at one of its own. */
const REFRESH_FROM = 0.75;
const REFRESH_SPREAD = 0.2;

/** How a remembered item does that is asked for so often, at random. */
export interface CacheFigures {
  /** Callers that find it in memory, and wait for nothing. */
  readonly hitRate: number;
  /** Readings of the item from the table, to each time that it is asked for. */
  readonly readsPerAsk: number;
}

/**
 * An item of the configuration in one process's memory, asked for `ratePerSec` times a second at random moments.
 *
 * Once read, it is read again by the first to come after the share x of its life T is over, x being even between 0.75
 * and 0.95. Who comes at random comes 1/λ later whenever one begins to wait, so the mean life is 0.85·T + 1/λ, in which it
 * is asked for λ·0.85·T + 1 times and read once:
 *
 *     reads per ask = 1 / (1 + 0.85·λ·T)
 *
 * A caller waits for a reading only where nobody came between x·T and T, which has the chance e^(−λ·(1−x)·T); over all x,
 *
 *     waits per reading = (e^(−0.05·λ·T) − e^(−0.25·λ·T)) / (0.2·λ·T)
 */
export function cacheFigures(ratePerSec: number, ttlSec: number): CacheFigures {
  const asksPerLife = ratePerSec * ttlSec;
  const readsPerAsk = 1 / (1 + (REFRESH_FROM + REFRESH_SPREAD / 2) * asksPerLife);
  return { hitRate: 1 - readsPerAsk * waitsPerReading(asksPerLife), readsPerAsk };
}

function waitsPerReading(asksPerLife: number): number {
  // Below that the difference of the two powers is mostly rounding; the quotient's limit is 1.
  if (asksPerLife < 1e-6) return 1;
  const [latest, earliest] = [1 - REFRESH_FROM - REFRESH_SPREAD, 1 - REFRESH_FROM];
  return (Math.exp(-latest * asksPerLife) - Math.exp(-earliest * asksPerLife)) / (REFRESH_SPREAD * asksPerLife);
}

/** A row of the table of the cache. */
export interface CacheRow {
  readonly ratePerSec: number;
  readonly ours: CacheFigures & { readonly readUnitsPerAcquire: number };
  readonly published: CacheFigures;
}

/** Five items say what holds for an entity on a resource, half a unit each. */
export const ITEMS_PER_RESOLUTION = 5;
export const UNITS_PER_ITEM = 0.5;

/** What the closest peer publishes: it reads three items once in each life, and callers wait for it. */
function publishedFigures(ratePerSec: number, ttlSec: number): CacheFigures {
  const missShare = Math.min(1, 1 / (ratePerSec * ttlSec));
  return { hitRate: 1 - missShare, readsPerAsk: 3 * missShare };
}

/** The table of the cache: how often callers hit, and what is read, by how often one entity of one process acquires. */
export function cacheTable(ttlSec: number, ratesPerSec: readonly number[] = [1, 10, 100]): readonly CacheRow[] {
  return ratesPerSec.map((ratePerSec) => {
    const figures = cacheFigures(ratePerSec, ttlSec);
    const readsPerAsk = ITEMS_PER_RESOLUTION * figures.readsPerAsk;
    return {
      ratePerSec,
      ours: { hitRate: figures.hitRate, readsPerAsk, readUnitsPerAcquire: readsPerAsk * UNITS_PER_ITEM },
      published: publishedFigures(ratePerSec, ttlSec),
    };
  });
}
