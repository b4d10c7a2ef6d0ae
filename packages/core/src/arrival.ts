import { scaleDown } from './exact.js';
import type { Timing } from './timing.js';

/**
 * The two ways to take from a limit in one conditional write. DynamoDB knows no max(), so the client picks the branch
 * of `max(tat, now) + c` by what it believes `tat` to be.
 */
export type Form = 'busy' | 'idle';

/**
 * The busy form moves the arrival time on, if it lies within this range (both ends included).
 *
 * The lower end is δ behind now: a bucket that filled up a moment ago is still moved on rather than set, so it may lag
 * by δ, which the smaller tolerance of the upper end pays for.
 */
export function busyRangeUs(timing: Timing, nowUs: number, chargeUs: number): { readonly fromUs: number; readonly toUs: number } {
  return { fromUs: nowUs - timing.deadBandUs, toUs: nowUs + timing.busyToleranceUs - chargeUs };
}

/** Which form would succeed on a bucket whose arrival time is exactly `tatUs`; none means that it is exhausted. */
export function formFor(timing: Timing, tatUs: number | undefined, nowUs: number, chargeUs: number): Form | undefined {
  if (tatUs === undefined) return 'idle';
  const { fromUs, toUs } = busyRangeUs(timing, nowUs, chargeUs);
  if (tatUs >= fromUs && tatUs <= toUs) return 'busy';
  // A full bucket admits any request up to its capacity, also one that is larger than the busy form's tolerance.
  return tatUs <= nowUs ? 'idle' : undefined;
}

/**
 * Which form to try first, from the arrival time last seen and the share of times that this bucket was found busy
 * although nothing had been seen of it for longer than the dead-band.
 *
 * Seen within δ: what was seen decides. Seen long ago or never: others may have used it since, so the share decides.
 */
export function guessForm(timing: Timing, seenUs: number | undefined, busyShare: number, nowUs: number, chargeUs: number): Form {
  const known = isStale(timing, seenUs, nowUs) ? undefined : formFor(timing, seenUs, nowUs, chargeUs);
  if (known !== undefined) return known;
  // Larger than the busy form can ever take: only a full bucket admits it.
  if (chargeUs > timing.busyToleranceUs) return 'idle';
  return busyShare > 0.5 || !isStale(timing, seenUs, nowUs) ? 'busy' : 'idle';
}

/** True when the arrival time last seen lies so far behind that it no longer tells whether the bucket is busy. */
export function isStale(timing: Timing, seenUs: number | undefined, nowUs: number): boolean {
  return seenUs === undefined || nowUs - seenUs > timing.deadBandUs;
}

/**
 * How many tokens one request can take now; below zero after a debt. It says what a request of that size would be
 * answered: this many are admitted, one more is not.
 */
export function availableTokens(timing: Timing, tatUs: number | undefined, nowUs: number): number {
  if (tatUs === undefined || tatUs <= nowUs) return timing.capacity;
  return Math.min(timing.capacity, scaleDown(nowUs + timing.busyToleranceUs - tatUs, timing.refill, timing.periodUs));
}

/**
 * How long until a request is admitted if nobody else takes: 0 if it is admitted now. Tight to the millisecond: waiting
 * so long suffices, one millisecond less does not.
 *
 * It is admitted once `tat <= now + τ′ − c` (busy), or once the bucket is full, `tat <= now` (idle).
 */
export function waitMs(timing: Timing, tatUs: number | undefined, nowUs: number, chargeUs: number): number {
  if (formFor(timing, tatUs, nowUs, chargeUs) !== undefined || tatUs === undefined) return 0;
  const readyUs = tatUs + Math.min(0, chargeUs - timing.busyToleranceUs);
  return Math.ceil((readyUs - nowUs) / 1000);
}
