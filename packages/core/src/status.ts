import { availableTokens, waitMs } from './arrival.js';
import type { BucketState } from './bucket.js';
import type { Limit } from './limit.js';
import { inScale } from './scale.js';
import { debitUs, type Timing, timingOf } from './timing.js';

/** How one limit of one entity stands towards a request. */
export interface LimitStatus {
  readonly entity: string;
  readonly resource: string;
  readonly limit: string;
  readonly capacity: number;
  /** Tokens that come back in each period. */
  readonly refill: number;
  readonly periodMs: number;
  readonly requested: number;
  /** What one request could take now; below zero only in debt: after an adjust, or while callers wait for their turn. */
  readonly available: number;
  /** How long until the request would pass this limit if nobody else took; 0 if it passes now. */
  readonly retryAfterMs: number;
  /** True if this limit stands in the request's way. */
  readonly exceeded: boolean;
}

/** Judges a request for `requested` tokens of a limit by a bucket's state; `timing` is another one than the limit's on one item of several. */
export function statusOf(
  where: { readonly entity: string; readonly resource: string },
  limit: Limit,
  requested: number,
  state: BucketState | undefined,
  nowUs: number,
  timing: Timing = timingOf(limit),
  chargeUs: number = debitUs(timing, requested),
): LimitStatus {
  const held = state?.limits.get(limit.name);
  const tatUs = held === undefined ? undefined : inScale(held, timing, nowUs);
  const retryAfterMs = waitMs(timing, tatUs, nowUs, chargeUs);
  return {
    entity: where.entity,
    resource: where.resource,
    limit: limit.name,
    capacity: limit.capacity,
    refill: limit.refill,
    periodMs: limit.periodMs,
    requested,
    available: availableTokens(timing, tatUs, nowUs),
    retryAfterMs,
    exceeded: retryAfterMs > 0,
  };
}
