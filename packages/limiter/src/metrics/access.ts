import { ValidationError } from '@millrace/core';
import type { ConfigCacheStats, LimiterStats, Observation } from '../engine/index.js';

/** What a reporter sees of an open limiter; limiters of other namespaces that it has opened are counted with it. */
export interface Observed {
  readonly table: string;
  readonly observation: Observation;
  readonly stats: () => LimiterStats;
  readonly cacheStats: () => ConfigCacheStats;
  /** What is to be done when the limiter closes. */
  readonly endings: Set<() => Promise<void>>;
}

const registered = new WeakMap<object, Observed>();

/** Remembers what of an open limiter can be reported. Not on the limiter itself: who acquires must not meet it. */
export function registerObserved(limiter: object, observed: Observed): void {
  registered.set(limiter, observed);
}

/** What of a limiter can be reported. */
export function observedOf(limiter: unknown): Observed {
  const observed = typeof limiter === 'object' && limiter !== null ? registered.get(limiter) : undefined;
  if (observed === undefined) throw new ValidationError('limiter', 'an open RateLimiter of this copy of the package', limiter);
  return observed;
}
