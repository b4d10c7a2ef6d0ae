/** The value that the share `share` (0 to 1) of the values does not exceed; the nearest rank. NaN if there are none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.ceil(share * sorted.length);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1] as number;
}

/** The middle value; the mean of the two in the middle where their number is even. NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  if (sorted.length === 0) return Number.NaN;
  return Number.isInteger(half) ? ((sorted[half - 1] as number) + (sorted[half] as number)) / 2 : (sorted[Math.floor(half)] as number);
}
