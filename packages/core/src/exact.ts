/** The greatest common divisor of two positive whole numbers. */
export function greatestCommonDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/**
 * `floor(value × numerator / denominator)`, exact, also below zero (it rounds towards −∞).
 *
 * Doubles are exact while the product stays within 53 bits, which nearly every call does. The rest goes through
 * BigInt: slower, never wrong.
 */
export function scaleDown(value: number, numerator: number, denominator: number): number {
  const product = value * numerator;
  if (Math.abs(product) <= Number.MAX_SAFE_INTEGER) return floorDivide(product, denominator);

  const [dividend, divisor] = [BigInt(value) * BigInt(numerator), BigInt(denominator)];
  const quotient = dividend / divisor;
  return Number(dividend % divisor < 0n ? quotient - 1n : quotient);
}

/** `ceil(value × numerator / denominator)`, exact. It is −floor(−x), so that the two can never disagree. */
export function scaleUp(value: number, numerator: number, denominator: number): number {
  return -scaleDown(-value, numerator, denominator) || 0;
}

// The quotient of two doubles is itself rounded: (2^53 − 1) / 2 would come out a whole number. The remainder is exact.
function floorDivide(dividend: number, divisor: number): number {
  const remainder = dividend % divisor;
  const towardsZero = (dividend - remainder) / divisor;
  return (remainder < 0 ? towardsZero - 1 : towardsZero) || 0;
}
