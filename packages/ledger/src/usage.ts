import type { UsageWindowItem } from './change.js';
import type { LimitStep } from './step.js';

/** What was used of one limit, in tokens. */
export interface LimitUsage {
  /** What was taken. */
  readonly used: bigint;
  /** What was given back of it. */
  readonly returned: bigint;
  /** What was consumed: used less returned. Below 0 where more came back in a window than was taken in it. */
  readonly net: bigint;
}

/** What lies between the first and the last counters of a step. */
export function usageOf({ used, returned }: Pick<LimitStep, 'used' | 'returned'>): LimitUsage {
  const [taken, back] = [used.to - used.from, returned.to - returned.from];
  return { used: taken, returned: back, net: taken - back };
}

/**
 * The usage of several windows together, by limit. For that of an entity's resource in one window these are the items of all
 * shards and eras; for that of a longer time, those of windows of one type.
 */
export function totalUsage(windows: Iterable<Pick<UsageWindowItem, 'limits'>>): ReadonlyMap<string, LimitUsage> {
  const total = new Map<string, LimitUsage>();
  for (const { limits } of windows) {
    for (const [limit, step] of limits) {
      const [sum, more] = [total.get(limit), usageOf(step)];
      total.set(
        limit,
        sum === undefined ? more : { used: sum.used + more.used, returned: sum.returned + more.returned, net: sum.net + more.net },
      );
    }
  }
  return total;
}

/** How many writes of the bucket item a window spans; some of them may have moved no counter. */
export function writesOf({ seq }: Pick<UsageWindowItem, 'seq'>): number {
  return seq.to - seq.from;
}
