import { scaleDown } from './exact.js';
import type { Timing } from './timing.js';

/**
 * The two ways to take from a limit in one conditional write. DynamoDB knows no max(), so the client picks the branch
 * of `max(tat, now) + c` by what it believes `tat` to be.
 */
export type Form = 'busy' | 'idle';

/**
 * The latest arrival time at which a request is admitted, by either form: now + τ′ − c.
 *
 * A request larger than τ′ so waits until the bucket has been full for as long as τ′ falls short of c: the state may lag
 * behind the ideal bucket by the dead-band, and only then does the bucket certainly hold it all.
 *
 * A caller that is ready to wait is admitted that much earlier: what it takes is a place in the queue, and its turn comes
 * once the arrival time before it is no later than what would have admitted it at once.
 */
export function latestUs(timing: Timing, nowUs: number, chargeUs: number, waitUs = 0): number {
  return nowUs + timing.busyToleranceUs - chargeUs + waitUs;
}

/** Which form admits a request on a bucket whose arrival time is exactly `tatUs`; none means that it is exhausted. */
export function formFor(timing: Timing, tatUs: number | undefined, nowUs: number, chargeUs: number, waitUs = 0): Form | undefined {
  if (tatUs !== undefined && tatUs > latestUs(timing, nowUs, chargeUs, waitUs)) return undefined;
  if (tatUs === undefined || isStale(timing, tatUs, nowUs)) return 'idle';
  return chargeUs > timing.busyToleranceUs && tatUs <= nowUs ? 'idle' : 'busy';
}

/**
 * Which form to try first, from the arrival time last seen and the share of times that this bucket was found busy
 * although nothing had been seen of it for longer than the dead-band.
 *
 * Seen within δ: what was seen decides. Seen long ago or never: others may have used it since, so the share decides.
 */
export function guessForm(
  timing: Timing,
  seenUs: number | undefined,
  busyShare: number,
  nowUs: number,
  chargeUs: number,
  waitUs = 0,
): Form {
  // Admitted at once only by a bucket that is full, whatever was seen of it; a caller that waits queues behind what was seen.
  if (chargeUs > timing.busyToleranceUs) return waitUs > 0 && seenUs !== undefined && seenUs > nowUs ? 'busy' : 'idle';
  return !isStale(timing, seenUs, nowUs) || busyShare > 0.5 ? 'busy' : 'idle';
}

/** True when the arrival time last seen lies so far behind that it no longer tells whether the bucket is busy. */
export function isStale(timing: Timing, seenUs: number | undefined, nowUs: number): boolean {
  return seenUs === undefined || nowUs - seenUs > timing.deadBandUs;
}

/**
 * How many tokens one request can take now. It says what a request of that size would be answered: this many are
 * admitted, one more is not.
 *
 * Below zero only where more was taken than the limit holds, by an adjust or by callers that wait for their turn: then it
 * is that debt, in whole tokens. What the dead-band keeps back of a drained bucket, and what debits are rounded up by, is
 * owed by nobody, so it counts as zero.
 */
export function availableTokens(timing: Timing, tatUs: number | undefined, nowUs: number): number {
  if (tatUs === undefined) return timing.capacity;
  const left = scaleDown(nowUs + timing.busyToleranceUs - tatUs, timing.refill, timing.periodUs);
  if (left >= 0) return Math.min(timing.capacity, left);
  // What debits are rounded up by stays below one token, but for limits of which a microsecond holds several.
  const drainedUs = timing.toleranceUs + (timing.refill > timing.periodUs ? 1 : 0);
  const debtUs = Math.max(0, tatUs - nowUs - drainedUs);
  return 0 - scaleDown(debtUs, timing.refill, timing.periodUs);
}

/**
 * How long until a request is admitted if nobody else takes: 0 if it is admitted now. Tight to the millisecond: waiting
 * so long suffices, one millisecond less does not.
 */
export function waitMs(timing: Timing, tatUs: number | undefined, nowUs: number, chargeUs: number): number {
  if (tatUs === undefined) return 0;
  return Math.max(0, Math.ceil((tatUs - latestUs(timing, nowUs, chargeUs)) / 1000));
}
