import {
  availableTokens,
  type BucketState,
  debitUs,
  inScale,
  type Limit,
  shardCount,
  shardTiming,
  type Timing,
  timingOf,
} from '@millrace/core';
import type { Demand } from './demand.js';
import type { Level } from './level.js';
import type { PrefetchSettings } from './prefetch-options.js';
import type { Stock } from './stock.js';

/** A chunk takes at most this share of what is left, so that it shrinks as the bucket empties, and others find some. */
const SHARE_OF_REMAINING = 0.1;
/** The demand of so much of the lifetime is taken, so that a chunk is nearly always spent before its time is over. */
const HORIZON_SHARE = 0.5;
/** For fewer acquires than this, one of which may never come, a chunk is not worth the write that gives it back. */
const LEAST_ACQUIRES = 2;

/** What is known of a bucket when a chunk is to be taken of it. */
export interface Outlook {
  readonly demand: Demand;
  readonly stock: Stock;
  readonly state: BucketState;
  /** What has been asked for in the same moment, and is not in the state yet. */
  readonly asked: ReadonlyMap<string, number>;
  readonly nowUs: number;
}

/**
 * What a chunk should hold: what the next acquires are expected to ask for, of all their limits alike, as far as a share
 * of what is left allows. No debits where that is too little to be worth while.
 */
export function chunkDebits({ lifetimeMs, maxTokens }: PrefetchSettings, level: Level, outlook: Outlook): Level['debits'] {
  const { demand, stock, state, asked, nowUs } = outlook;
  const nowMs = nowUs / 1000;
  let acquires = demand.acquiresIn(lifetimeMs * HORIZON_SHARE, nowMs);
  const wanted = level.limits.filter(({ name }) => demand.meanOf(name) > 0);
  for (const limit of wanted) {
    const [timing, found, { tokens }] = [timingAt(level, limit), state.limits.get(limit.name), stock.held(limit.name)];
    const tatUs = found === undefined ? undefined : inScale(found, timing, nowUs);
    const left = availableTokens(timing, tatUs, nowUs) - (asked.get(limit.name) ?? 0);
    const room = Math.min(SHARE_OF_REMAINING * left, maxTokens - tokens);
    acquires = Math.min(acquires, (tokens + Math.max(0, room)) / demand.meanOf(limit.name));
  }
  if (acquires < LEAST_ACQUIRES) return [];
  return wanted.flatMap((limit) => {
    const timing = timingAt(level, limit);
    const tokens = Math.floor(acquires * demand.meanOf(limit.name)) - stock.held(limit.name).tokens;
    if (tokens <= 0) return [];
    // Each acquire's own debit is rounded up, by less than a microsecond.
    const roundingUs = timing.refill === 1 ? 0 : Math.ceil(acquires);
    return [{ limit, timing, tokens, chargeUs: debitUs(timing, tokens) + roundingUs }];
  });
}

/** A limit's times on the item of a level, which may be one of several. */
function timingAt({ layout }: Level, limit: Limit): Timing {
  return shardTiming(timingOf(limit), shardCount(layout));
}

/** A bucket that has refused is taken ahead from again only once it is seen this full. */
const PLENTY = 0.5;

/** Whether all limits of a level have plenty left. */
export function hasPlenty(level: Level, state: BucketState, nowUs: number): boolean {
  return level.limits.every((limit) => {
    const [timing, found] = [timingAt(level, limit), state.limits.get(limit.name)];
    return found === undefined || availableTokens(timing, inScale(found, timing, nowUs), nowUs) >= PLENTY * timing.capacity;
  });
}
