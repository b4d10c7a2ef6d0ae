import fc from 'fast-check';
import { debitUs, Limit, type Timing, timingOf } from '../src/index.js';

const DAY_MS = 86_400_000;
const MAX_PERIOD_MS = 366 * DAY_MS;
const MAX_FILL_US = 20n * BigInt(MAX_PERIOD_MS) * 1000n;
const MAX_TOKENS = 1_000_000_000_000;
const STEPS = 1_000_000;

/** A point between 0 and 1. */
export const anyShare: fc.Arbitrary<number> = fc.nat({ max: STEPS }).map((step) => step / STEPS);

/** Whole numbers of every size between two bounds: as many of two digits as of ten. */
export function spread(min: number, max: number, share: number): number {
  return Math.min(max, Math.floor(min * (max / min) ** share));
}

const anyPeriodMs = fc.oneof(
  fc.constantFrom(1, 250, 1000, 60_000, 3_600_000, DAY_MS, MAX_PERIOD_MS),
  anyShare.map((share) => spread(1, MAX_PERIOD_MS, share)),
);

const anyReserve: fc.Arbitrary<number | undefined> = fc.oneof(
  fc.constantFrom(undefined, undefined, 0, 0.5),
  fc.nat({ max: 500 }).map((thousandths) => thousandths / 1000),
);

/** Any limit that there can be, from one a year to 10⁹ a second, with a capacity of anything that its rate can fill. */
export const anyLimit: fc.Arbitrary<Limit> = fc
  .tuple(anyPeriodMs, anyShare, anyShare, fc.constantFrom('any', 'any', 'refill', 'small'), anyReserve)
  .map(([periodMs, rate, size, kind, reserve]) => {
    const refill = spread(1, Math.min(MAX_TOKENS, periodMs * 1_000_000), rate);
    const fillable = (MAX_FILL_US * BigInt(refill)) / (BigInt(periodMs) * 1000n);
    const most = Math.min(MAX_TOKENS, Number(fillable));
    const capacity = kind === 'refill' ? Math.min(refill, most) : spread(1, kind === 'small' ? Math.min(100, most) : most, size);
    return limitOf({ refill, periodMs, capacity, reserve });
  });

function limitOf(parts: { refill: number; periodMs: number; capacity: number; reserve?: number | undefined }): Limit {
  const { reserve, ...rate } = parts;
  return Limit.of({ name: 'any', ...rate, ...(reserve === undefined ? {} : { reserve }) });
}

/** A moment between 1970 and 2100. */
export const anyNowUs: fc.Arbitrary<number> = fc.integer({ min: 0, max: 4_102_444_800_000_000 });

/** A request, the bucket that it meets, and when. */
export interface Encounter {
  readonly limit: Limit;
  readonly timing: Timing;
  readonly tokens: number;
  readonly chargeUs: number;
  readonly nowUs: number;
  readonly tatUs: number | undefined;
}

const anyTokens = fc.tuple(fc.constantFrom('one', 'all', 'most', 'some', 'some'), anyShare);

function tokensOf(kind: string, share: number, capacity: number): number {
  if (kind === 'one') return 1;
  if (kind === 'all') return capacity;
  return kind === 'most' ? Math.max(1, capacity - 1) : spread(1, capacity, share);
}

/** Arrival times anywhere between long ago and a deep debt, and those next to where an answer changes. */
const anyArrival = fc.tuple(
  fc.constantFrom('none', 'far', 'far', 'near', 'now', 'lag', 'latest', 'latest', 'full'),
  anyShare,
  fc.integer({ min: -2, max: 2 }),
);

function arrivalOf(kind: string, share: number, nudge: number, timing: Timing, nowUs: number, chargeUs: number): number | undefined {
  const latest = nowUs + timing.busyToleranceUs - chargeUs;
  switch (kind) {
    case 'none':
      return undefined;
    case 'far':
      return nowUs + Math.floor((share * 4 - 1.5) * timing.toleranceUs) + nudge;
    case 'near':
      return nowUs + Math.floor((share * 4 - 2) * timing.deadBandUs) + nudge;
    case 'now':
      return nowUs + nudge;
    case 'lag':
      return nowUs - timing.deadBandUs + nudge;
    case 'latest':
      return latest + nudge;
    default:
      return nowUs + timing.busyToleranceUs + nudge;
  }
}

export const anyEncounter: fc.Arbitrary<Encounter> = fc
  .tuple(anyLimit, anyNowUs, anyTokens, anyArrival)
  .map(([limit, nowUs, [size, part], [kind, share, nudge]]) => {
    const timing = timingOf(limit);
    const tokens = tokensOf(size, part, limit.capacity);
    const chargeUs = debitUs(timing, tokens);
    return { limit, timing, tokens, chargeUs, nowUs, tatUs: arrivalOf(kind, share, nudge, timing, nowUs, chargeUs) };
  });
