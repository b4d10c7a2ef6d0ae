/** What DynamoDB counts: requests, and the units of reading and writing that they are billed by. */
export interface Units {
  readonly requests: number;
  /** 1 for a consistent read of up to 4 KB, ½ for an eventually consistent one. */
  readonly readUnits: number;
  /** 1 for a write of up to 1 KB; a refused condition is billed like the write it refused. */
  readonly writeUnits: number;
}

export const NO_UNITS: Units = { requests: 0, readUnits: 0, writeUnits: 0 };

/** A month of the bills: 30 days. */
export const DAYS_PER_MONTH = 30;
export const HOURS_PER_MONTH = 24 * DAYS_PER_MONTH;
export const SECONDS_PER_MONTH = 3_600 * HOURS_PER_MONTH;
export const MILLION = 1_000_000;

/** Units times a factor. */
export function times({ requests, readUnits, writeUnits }: Units, factor: number): Units {
  return { requests: requests * factor, readUnits: readUnits * factor, writeUnits: writeUnits * factor };
}

/** The sum of units; of none, nothing. */
export function sumOf(all: Iterable<Units>): Units {
  let [requests, readUnits, writeUnits] = [0, 0, 0];
  for (const units of all) {
    requests += units.requests;
    readUnits += units.readUnits;
    writeUnits += units.writeUnits;
  }
  return { requests, readUnits, writeUnits };
}

/** So many writes of so many units each, a request each. */
export function writesOf(writes: number, unitsEach = 1): Units {
  return { requests: writes, readUnits: 0, writeUnits: writes * unitsEach };
}
