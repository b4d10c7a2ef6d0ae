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
