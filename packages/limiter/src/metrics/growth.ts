import { LIMITER_METRICS, type MetricPoint } from '@millrace/core';
import type { ConfigCacheStats, LimiterStats } from '../engine/index.js';

/** Counters of a limiter that only grow, by the metric that tells how much they have. */
const COUNTERS = {
  shadowRejected: ({ stats }) => stats.shadowRejections,
  waited: ({ stats }) => stats.waits,
  requests: ({ stats }) => Object.values(stats.requests).reduce((sum, count) => sum + count, 0),
  readUnits: ({ stats }) => stats.readUnits,
  writeUnits: ({ stats }) => stats.writeUnits,
  refusedWrites: ({ stats }) => stats.refusedWrites,
  contended: ({ stats }) => stats.branchMisses,
  retries: ({ stats }) => stats.retries,
  lostReplies: ({ stats }) => stats.lostReplies,
  cacheHits: ({ cache }) => cache.hits,
  cacheMisses: ({ cache }) => cache.misses,
} as const satisfies Partial<Record<keyof typeof LIMITER_METRICS, (seen: Seen) => number>>;

const KEYS = Object.keys(COUNTERS) as readonly (keyof typeof COUNTERS)[];

/** What a limiter says of itself at one moment. */
interface Seen {
  readonly stats: LimiterStats;
  readonly cache: ConfigCacheStats;
}

/** How much the counters of a limiter have grown since it was last asked. */
export class Growth {
  readonly #look: () => Seen;
  #before: ReadonlyMap<string, number>;

  constructor(look: () => Seen) {
    this.#look = look;
    this.#before = countsOf(look());
  }

  /** Tells how much was added, and how far the clock is proved to be wrong now. */
  take(): MetricPoint['metrics'] {
    const seen = this.#look();
    const now = countsOf(seen);
    const grown = KEYS.map((key) => ({ definition: LIMITER_METRICS[key], value: (now.get(key) ?? 0) - (this.#before.get(key) ?? 0) }));
    this.#before = now;
    const { clock } = seen.stats;
    if (clock === undefined) return grown;
    return [...grown, { definition: LIMITER_METRICS.clockError, value: Math.max(0, Math.abs(clock.offsetMs) - clock.errorMs) }];
  }
}

function countsOf(seen: Seen): ReadonlyMap<string, number> {
  return new Map(KEYS.map((key) => [key, COUNTERS[key](seen)]));
}
