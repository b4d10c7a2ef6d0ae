/**
 * A number from 1 to `count`, the small ones more often: rank k comes about as often as k to the power of minus `exponent`.
 * It takes one random number from 0 up to 1, and no table. `exponent` is above 1.
 */
export function powerLawRank(random: number, count: number, exponent: number): number {
  const reach = 1 - (count + 1) ** (1 - exponent);
  return Math.min(count, Math.floor((1 - random * reach) ** (1 / (1 - exponent))));
}

/** How often {@link powerLawRank} gives a rank. */
export function powerLawShare(rank: number, count: number, exponent: number): number {
  const below = (edge: number): number => (1 - edge ** (1 - exponent)) / (1 - (count + 1) ** (1 - exponent));
  return below(rank + 1) - below(rank);
}
