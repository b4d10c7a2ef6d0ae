import type { LimitState, Move } from './bucket.js';
import type { Timing } from './timing.js';

/**
 * The scale of arrival times.
 *
 * An arrival time says how many tokens are missing, in units of one token's time. When the rate changes, that unit does,
 * and the same number would say another amount: a drained bucket whose rate is cut to a tenth would have nine tenths of
 * its tokens back. So a bucket keeps the scale beside the number, and whoever has another one converts.
 *
 * What is missing is rounded up, so no conversion and no chain of them ever mints.
 */

/** Arrival times and charges beyond this (the year 2112) are not written: what is added to them has to stay exact, too. */
const LARGEST_US = 2 ** 52;

/** True if the arrival time was written in another scale than that of `timing`. */
export function isForeign(held: Pick<LimitState, 'scale'>, timing: Timing): boolean {
  return held.scale !== undefined && held.scale !== timing.scale;
}

/** The arrival time in the scale of `timing`. A full bucket is full in every scale. */
export function inScale(held: LimitState, timing: Timing, nowUs: number): number {
  if (!isForeign(held, timing) || held.tatUs <= nowUs) return held.tatUs;
  const missingUs = convert(held.tatUs - nowUs, held.scale, timing.scale, 'up');
  return Math.min(nowUs + missingUs, Number.MAX_SAFE_INTEGER);
}

/**
 * The move that brings a limit into the scale of `timing`; undefined where a take needs none. It needs none on a full
 * bucket, and there is none where the arrival time would leave the numbers that are exact: such a bucket is left to fill
 * in its own scale, and refuses meanwhile.
 */
export function rescaleMove(limit: string, held: LimitState | undefined, timing: Timing, nowUs: number): Move | undefined {
  if (held === undefined || !isForeign(held, timing) || held.tatUs <= nowUs) return undefined;
  const toTatUs = inScale(held, timing, nowUs);
  return toTatUs > LARGEST_US ? undefined : { form: 'rescale', limit, fromTatUs: held.tatUs, toTatUs, scale: timing.scale };
}

/** What a debit of one scale is worth in another, rounded up. */
export function debitInScale(chargeUs: number, from: string, to: string): number {
  return Math.min(convert(chargeUs, from, to, 'up'), LARGEST_US);
}

/** What a credit of one scale is worth in another, rounded down. */
export function creditInScale(chargeUs: number, from: string, to: string): number {
  return Math.min(convert(chargeUs, from, to, 'down'), LARGEST_US);
}

/** `us × T(to) / T(from)`, exact, then rounded. It happens once after a change of a rate, so BigInt may be slow. */
function convert(us: number, from: string | undefined, to: string, rounding: 'up' | 'down'): number {
  const [old, own] = [parseScale(from), parseScale(to)];
  // What no release has written says nothing: the number is taken as it is, and the next rescale sets the scale right.
  if (from === to || old === undefined || own === undefined) return us;
  const [dividend, divisor] = [BigInt(us) * own.periodUs * old.refill, own.refill * old.periodUs];
  return Number(rounding === 'up' ? (dividend + divisor - 1n) / divisor : dividend / divisor);
}

const SCALE = /^([1-9]\d{0,15})\/([1-9]\d{0,15})$/;

function parseScale(scale: string | undefined): { readonly periodUs: bigint; readonly refill: bigint } | undefined {
  const [, periodUs, refill] = SCALE.exec(scale ?? '') ?? [];
  return periodUs === undefined || refill === undefined ? undefined : { periodUs: BigInt(periodUs), refill: BigInt(refill) };
}
