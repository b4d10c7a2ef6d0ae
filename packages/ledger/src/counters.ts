/** The lower of two counters; `Math.min` takes no whole numbers beyond 53 bits. */
export function lower(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** The higher of two counters. */
export function higher(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

/** The two counters of a limit at a moment. */
export interface Counters {
  readonly used: bigint;
  readonly returned: bigint;
}

/** Counters begin at a thousand for each microsecond since 1970: two beginnings a second apart differ by this much. */
export const SECOND_OF_BASE = 1_000_000_000n;

/**
 * True if counters that were last seen at one place, and later at another, have begun anew in between: then both are higher
 * by the time that has passed, while nobody takes, and gives back, so much in the time that a record may be missing.
 */
export function haveBegunAnew(before: Counters, after: Counters): boolean {
  return after.used - before.used >= SECOND_OF_BASE && after.returned - before.returned >= SECOND_OF_BASE;
}
