import { scaleDown } from './exact.js';
import type { Timing } from './timing.js';

/**
 * How many items a bucket is spread over, and the how-manieth such decision that is, in one number: DynamoDB compares
 * numbers, so that a writer who does not know the newest decision is refused by one comparison.
 *
 * A bucket that was never spread has the first layout, and its item does not say so.
 */
export type Layout = number;

/** The most items of one bucket. */
export const MAX_SHARDS = 32;

const COUNTS = 64;

/** One item, as every bucket begins. */
export const FIRST_LAYOUT: Layout = 1;

/** How many items there are. */
export function shardCount(layout: Layout): number {
  return layout % COUNTS;
}

/** The decision after another one, for `count` items. */
export function layoutAfter(layout: Layout, count: number): Layout {
  return (Math.floor(layout / COUNTS) + 1) * COUNTS + count;
}

const timings = new WeakMap<Timing, Map<number, Timing>>();

/**
 * The times of one item of several. It has a share of the rate and of the capacity, and the same τ: so n items with the
 * same arrival time lack as many tokens together as one item with it, and to split a bucket is to copy its arrival time.
 *
 * The rounding that one item is granted, of less than a token, would be granted n times: here it is none. What n items
 * admit in an interval of length w so stays within C + r·w together, as that of one does.
 */
export function shardTiming(timing: Timing, count: number): Timing {
  if (count === 1) return timing;
  let byCount = timings.get(timing);
  if (byCount === undefined) {
    byCount = new Map();
    timings.set(timing, byCount);
  }
  let own = byCount.get(count);
  if (own === undefined) {
    const { toleranceUs, deadBandUs, capacity } = timing;
    own = Object.freeze({
      ...timing,
      periodUs: timing.periodUs * count,
      capacity: Math.floor(capacity / count),
      busyToleranceUs: toleranceUs - deadBandUs,
    });
    byCount.set(count, own);
  }
  return own;
}

/** The most items for which each still has a share of some tokens, so that ordinary requests fit one: a power of two. */
export function mostShards(capacities: readonly number[], maxShards: number): number {
  const fitting = Math.min(maxShards, MAX_SHARDS, ...capacities.map((capacity) => scaleDown(capacity, 1, FEWEST_TOKENS)));
  return fitting < 2 ? 1 : 2 ** Math.floor(Math.log2(fitting));
}

const FEWEST_TOKENS = 10;

/** What a time on an item of `from` items is worth on one of `to`, where a token takes another time. */
export function acrossLayouts(chargeUs: number, from: number, to: number, rounding: 'up' | 'down'): number {
  const down = scaleDown(rounding === 'down' ? chargeUs : -chargeUs, to, from);
  return (rounding === 'down' ? down : -down) || 0;
}
