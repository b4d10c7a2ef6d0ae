import { type Prices, usdOf } from './prices.js';
import { HOURS_PER_MONTH, MILLION, SECONDS_PER_MONTH, type Units } from './units.js';

/** How capacity can be bought. */
export type CapacityMode = 'on demand' | 'provisioned' | 'reserved 1 year' | 'reserved 3 years';

/** What reading and writing cost in a mode, for a month. */
export interface ModeCost {
  readonly mode: CapacityMode;
  /** Units a second that are paid for; none on demand. */
  readonly readUnitsPerSec?: number;
  readonly writeUnitsPerSec?: number;
  readonly usd: number;
}

/** Reserved capacity is sold by the hundred units. */
const RESERVED_BLOCK = 100;

/**
 * What the units of a month cost in each mode, if they come evenly, or if auto scaling follows them: then what is
 * provisioned is what is used ÷ the target utilisation, in whole units, at least one. What is reserved is that in hundreds.
 */
export function modeCosts(units: Units, prices: Prices, targetUtilisation: number): readonly ModeCost[] {
  const provisioned = (used: number): number => Math.max(1, Math.ceil(used / SECONDS_PER_MONTH / targetUtilisation));
  const reads = provisioned(units.readUnits);
  const writes = provisioned(units.writeUnits);
  const bought = (mode: CapacityMode, block: number, usdPerReadHour: number, usdPerWriteHour: number): ModeCost => {
    const readUnitsPerSec = Math.ceil(reads / block) * block;
    const writeUnitsPerSec = Math.ceil(writes / block) * block;
    const usd = (readUnitsPerSec * usdPerReadHour + writeUnitsPerSec * usdPerWriteHour) * HOURS_PER_MONTH;
    return { mode, readUnitsPerSec, writeUnitsPerSec, usd };
  };
  return [
    { mode: 'on demand', usd: usdOf(units, prices) },
    bought('provisioned', 1, prices.usdPerReadUnitHour, prices.usdPerWriteUnitHour),
    bought('reserved 1 year', RESERVED_BLOCK, prices.usdPerReadUnitHourReserved1, prices.usdPerWriteUnitHourReserved1),
    bought('reserved 3 years', RESERVED_BLOCK, prices.usdPerReadUnitHourReserved3, prices.usdPerWriteUnitHourReserved3),
  ];
}

/** From where on a mode is cheaper than on demand. */
export interface BreakEven {
  /** Of provisioned writes: used above this share, they cost less than on demand. */
  readonly writeUtilisation: number;
  readonly readUtilisation: number;
  /** Writes a month from which on a hundred reserved units cost less than on demand, and less than provisioned at the target. */
  readonly reservedFromWrites: { readonly thanOnDemand: number; readonly thanProvisioned: number };
}

/**
 * The break-even to provisioned capacity is a utilisation, not a number of operations: a provisioned unit costs its hour
 * whether used or not, and could make 3,600 writes in it, so it pays where
 *
 *     utilisation > price of a unit's hour ÷ (3,600 · price of a unit on demand)
 *
 * Reserved units (for a year) are sold by the hundred, so there it is a number: so many writes cost as much as a hundred
 * units do; against provisioned ones, so many keep as many units busy as cost the same.
 */
export function breakEven(prices: Prices, targetUtilisation: number): BreakEven {
  const utilisation = (usdPerHour: number, usdPerMillion: number): number => usdPerHour / ((3_600 * usdPerMillion) / MILLION);
  const blockUsd = RESERVED_BLOCK * prices.usdPerWriteUnitHourReserved1 * HOURS_PER_MONTH;
  const unitsForTheSame = blockUsd / (prices.usdPerWriteUnitHour * HOURS_PER_MONTH);
  return {
    writeUtilisation: utilisation(prices.usdPerWriteUnitHour, prices.usdPerMillionWriteUnits),
    readUtilisation: utilisation(prices.usdPerReadUnitHour, prices.usdPerMillionReadUnits),
    reservedFromWrites: {
      thanOnDemand: (blockUsd / prices.usdPerMillionWriteUnits) * MILLION,
      thanProvisioned: unitsForTheSame * targetUtilisation * SECONDS_PER_MONTH,
    },
  };
}
