import { scaleDown, scaleUp } from './exact.js';
import { type Limit, tokenTime } from './limit.js';

/**
 * A limit turned into times, in whole microseconds. All arithmetic on a bucket is done with these.
 *
 * The state of a limit is its theoretical arrival time `tat` (GCRA): the moment at which the bucket is full again.
 * Taking n tokens moves it on by n × T, T being one token's time; the bucket is full while `tat <= now`.
 */
export interface Timing {
  /** T as a fraction in lowest terms: `periodUs / refill`. */
  readonly periodUs: number;
  readonly refill: number;
  /** The same fraction as text, `periodUs/refill`: the scale in which arrival times of this limit are written. */
  readonly scale: string;
  readonly capacity: number;
  /** τ = floor(C·T): how far ahead of now the arrival time may be. */
  readonly toleranceUs: number;
  /** δ: how far behind now the arrival time may lag and still be moved on by the busy form. */
  readonly deadBandUs: number;
  /** τ′: the tolerance of the busy form, which pays for that lag. */
  readonly busyToleranceUs: number;
}

/**
 * The round trip that the dead-band is made for. It is a constant and no measurement: two clients that kept different
 * dead-bands would each pay only for their own, and the difference would be admitted above the capacity.
 */
const ROUND_TRIP_US = 5_000;

/**
 * Derives the times of a limit.
 *
 * - **δ** = max(2 round trips, reserve × τ). Where the reserve is less than a token, δ stays below what costs nothing,
 *   so that a small bucket has all of its capacity; elsewhere it is at most a tenth of τ, or the reserve if that is more.
 * - **Rounding.** Debits are rounded up, so C single tokens need C·ceil(T), which may be more than floor(C·T). The
 *   tolerance is raised by that difference, as long as it is below one token.
 * - **τ′** = τ + rounding − what of δ is not free. Rounding and the free part of δ stay below one token together: no
 *   interval of length w ever admits more than C + w/T and that fraction of a token.
 */
function deriveTiming(limit: Limit): Timing {
  const { periodUs, refill } = tokenTime(limit);
  const toleranceUs = scaleDown(limit.capacity, periodUs, refill);
  const [tokenFloorUs, tokenCeilUs] = [scaleDown(1, periodUs, refill), scaleUp(1, periodUs, refill)];
  const belowTokenUs = Math.max(0, tokenFloorUs - 1);

  const roundingUs = Math.min(limit.capacity * tokenCeilUs - toleranceUs, belowTokenUs);
  const freeUs = belowTokenUs - roundingUs;
  const reserveUs = Math.floor(limit.reserve * toleranceUs);
  const wantedUs = Math.max(2 * ROUND_TRIP_US, reserveUs);
  const boundUs = limit.reserve * limit.capacity <= 1 ? freeUs : Math.max(freeUs, reserveUs, Math.floor(toleranceUs / 10));
  const deadBandUs = limit.reserve === 0 ? 0 : Math.min(wantedUs, boundUs);

  const busyToleranceUs = toleranceUs + roundingUs - Math.max(0, deadBandUs - freeUs);
  const scale = `${periodUs}/${refill}`;
  return Object.freeze({ periodUs, refill, scale, capacity: limit.capacity, toleranceUs, deadBandUs, busyToleranceUs });
}

const timings = new WeakMap<Limit, Timing>();

/** The times of a limit; derived once for each limit object. */
export function timingOf(limit: Limit): Timing {
  let timing = timings.get(limit);
  if (timing === undefined) {
    timing = deriveTiming(limit);
    timings.set(limit, timing);
  }
  return timing;
}

/** How far `tokens` move the arrival time on: ceil(tokens × T). A debit is rounded up. */
export function debitUs(timing: Timing, tokens: number): number {
  return scaleUp(tokens, timing.periodUs, timing.refill);
}

/** How far `tokens` given back move the arrival time back: floor(tokens × T). A credit is rounded down. */
export function creditUs(timing: Timing, tokens: number): number {
  return scaleDown(tokens, timing.periodUs, timing.refill);
}
