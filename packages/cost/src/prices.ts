import { checkKeys, ValidationError } from '@millrace/core';
import { MILLION, type Units } from './units.js';

/** What AWS asks for in a region, in dollars. The free tier is left out. */
export interface Prices {
  /** On demand. */
  readonly usdPerMillionWriteUnits: number;
  readonly usdPerMillionReadUnits: number;
  /** Provisioned: a unit a second, for an hour, used or not. */
  readonly usdPerWriteUnitHour: number;
  readonly usdPerReadUnitHour: number;
  /** Reserved for a year, and for three: provisioned units, paid in part ahead; they are sold by the hundred. */
  readonly usdPerWriteUnitHourReserved1: number;
  readonly usdPerReadUnitHourReserved1: number;
  readonly usdPerWriteUnitHourReserved3: number;
  readonly usdPerReadUnitHourReserved3: number;
  readonly usdPerGbMonth: number;
  /** Point-in-time recovery. */
  readonly usdPerRecoveryGbMonth: number;
  /** Reading the stream from a program of one's own. What Lambda reads for a trigger is free. */
  readonly usdPerMillionStreamReads: number;
  readonly usdPerMillionInvocations: number;
  /** Lambda's time, on arm64. */
  readonly usdPerGbSecond: number;
}

/** What a unit reserved for years costs in an hour: its share of what a hundred cost ahead, and of their hourly price. */
function reservedHour(aheadUsdPerHundred: number, hourlyUsdPerHundred: number, years: number): number {
  return (aheadUsdPerHundred / (8_760 * years) + hourlyUsdPerHundred) / 100;
}

const NORTH_VIRGINIA: Prices = {
  usdPerMillionWriteUnits: 0.625,
  usdPerMillionReadUnits: 0.125,
  usdPerWriteUnitHour: 0.00065,
  usdPerReadUnitHour: 0.00013,
  usdPerWriteUnitHourReserved1: reservedHour(150, 0.0128, 1),
  usdPerReadUnitHourReserved1: reservedHour(30, 0.0025, 1),
  usdPerWriteUnitHourReserved3: reservedHour(180, 0.0081, 3),
  usdPerReadUnitHourReserved3: reservedHour(36, 0.0016, 3),
  usdPerGbMonth: 0.25,
  usdPerRecoveryGbMonth: 0.2,
  usdPerMillionStreamReads: 0.2,
  usdPerMillionInvocations: 0.2,
  usdPerGbSecond: 0.0000133334,
};

/** The region whose prices hold unless another is named. */
export const DEFAULT_REGION = 'us-east-1';

/**
 * The regions whose prices are built in, as of November 2024: those that share one list. For others, and for what AWS
 * has changed since, prices are given by the caller; a figure from memory would pass for a fact.
 */
export const PRICES: ReadonlyMap<string, Prices> = new Map([
  [DEFAULT_REGION, NORTH_VIRGINIA],
  ['us-east-2', NORTH_VIRGINIA],
  ['us-west-2', NORTH_VIRGINIA],
]);

const KEYS = Object.keys(NORTH_VIRGINIA) as readonly (keyof Prices)[];

/**
 * The prices of a region, with those that the caller knows better.
 *
 * @throws ValidationError if a price is unknown or no number, or if the region is not built in and a price is missing
 */
export function pricesOf(region: string = DEFAULT_REGION, own: unknown = {}): Prices {
  checkKeys('prices', own, KEYS);
  const given = own as Partial<Record<keyof Prices, unknown>>;
  for (const [key, price] of Object.entries(given)) {
    if (typeof price !== 'number' || !(price >= 0 && price < MILLION))
      throw new ValidationError(`price "${key}"`, 'dollars, 0 or more', price);
  }
  const known = PRICES.get(region) ?? {};
  const prices: Partial<Prices> = { ...known, ...(given as Partial<Prices>) };
  const missing = KEYS.filter((key) => prices[key] === undefined);
  if (missing.length > 0) {
    const lacking = missing.length === KEYS.length ? '' : ` (missing: ${missing.join(', ')})`;
    const expected = `one of ${[...PRICES.keys()].join(', ')}, or given with all its prices${lacking}`;
    throw new ValidationError('region', expected, region);
  }
  return prices as Prices;
}

/** What units cost on demand. Requests cost nothing but their units. */
export function usdOf({ readUnits, writeUnits }: Units, prices: Prices): number {
  return (readUnits * prices.usdPerMillionReadUnits + writeUnits * prices.usdPerMillionWriteUnits) / MILLION;
}
