import type { Form, Limit } from '../src/index.js';

/**
 * A limit's times once more, in whole numbers of any size and from the unreduced fraction `periodUs / refill`: what the
 * arithmetic in doubles has to agree with.
 */
export interface ExactBucket {
  readonly periodUs: bigint;
  readonly refill: bigint;
  readonly capacity: bigint;
  readonly toleranceUs: bigint;
  readonly deadBandUs: bigint;
  readonly busyToleranceUs: bigint;
}

const ROUND_TRIPS_US = 10_000n;

/** The times of a limit by the three rules of timing.ts: dead-band, rounding, tolerance of the busy form. */
export function exactBucket(limit: Limit): ExactBucket {
  const [periodUs, refill, capacity] = [BigInt(limit.periodMs) * 1000n, BigInt(limit.refill), BigInt(limit.capacity)];
  const toleranceUs = floorOf(capacity * periodUs, refill);
  const belowTokenUs = largest(0n, floorOf(periodUs, refill) - 1n);
  const roundingUs = smallest(capacity * ceilOf(periodUs, refill) - toleranceUs, belowTokenUs);
  const freeUs = belowTokenUs - roundingUs;

  // The reserve is a share, not an amount: its product is as exact as a double is, and nothing rests on the last bit.
  const reserveUs = BigInt(Math.floor(limit.reserve * Number(toleranceUs)));
  const boundUs = limit.reserve * limit.capacity <= 1 ? freeUs : largest(freeUs, reserveUs, toleranceUs / 10n);
  const deadBandUs = limit.reserve === 0 ? 0n : smallest(largest(ROUND_TRIPS_US, reserveUs), boundUs);
  const busyToleranceUs = toleranceUs + roundingUs - largest(0n, deadBandUs - freeUs);
  return { periodUs, refill, capacity, toleranceUs, deadBandUs, busyToleranceUs };
}

/** How far tokens move the arrival time on. */
export function exactDebitUs(bucket: ExactBucket, tokens: number): bigint {
  return ceilOf(BigInt(tokens) * bucket.periodUs, bucket.refill);
}

/** How far tokens given back move it back. */
export function exactCreditUs(bucket: ExactBucket, tokens: number): bigint {
  return floorOf(BigInt(tokens) * bucket.periodUs, bucket.refill);
}

/** Which form admits a request, if it is admitted. */
export function exactForm(bucket: ExactBucket, tatUs: number | undefined, nowUs: number, tokens: number): Form | undefined {
  const chargeUs = exactDebitUs(bucket, tokens);
  if (tatUs === undefined) return 'idle';
  if (BigInt(tatUs) + chargeUs > BigInt(nowUs) + bucket.busyToleranceUs) return undefined;
  const lagsBehind = BigInt(tatUs) < BigInt(nowUs) - bucket.deadBandUs;
  return lagsBehind || chargeUs > bucket.busyToleranceUs ? 'idle' : 'busy';
}

export function floorOf(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

export function ceilOf(dividend: bigint, divisor: bigint): bigint {
  return -floorOf(-dividend, divisor);
}

function largest(...values: readonly bigint[]): bigint {
  return values.reduce((most, value) => most + positive(value - most));
}

function smallest(a: bigint, b: bigint): bigint {
  return a - positive(a - b);
}

// There is no Math.max for bigint.
function positive(value: bigint): bigint {
  return value < 0n ? 0n : value;
}
