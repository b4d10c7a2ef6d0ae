import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyShare, spread } from '../test/any-limit.js';
import { ceilOf, floorOf } from '../test/exact-bucket.js';
import { greatestCommonDivisor, scaleDown, scaleUp } from './exact.js';

const MOST = Number.MAX_SAFE_INTEGER;

const anyFactor = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  anyShare.map((share) => spread(1, 10 ** 13, share)),
);
const anyValue = fc.oneof(
  fc.integer({ min: -100, max: 100 }),
  fc.maxSafeInteger(),
  anyShare.map((share) => -spread(1, MOST, share)),
);

/** Products a little below and above 2^53, on both sides of zero, where doubles stop telling neighbours apart. */
const anyEdge = fc
  .tuple(anyFactor, fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(-1, 1), anyFactor)
  .map(([numerator, nudge, sign, denominator]) => [sign * (Math.floor(MOST / numerator) + nudge), numerator, denominator] as const);
const anyProduct = fc.oneof(fc.tuple(anyValue, anyFactor, anyFactor), anyEdge);

describe('scaling', () => {
  it('rounds down and up exactly as whole numbers of any size do, below zero too', () => {
    const agree = fc.property(anyProduct, ([value, numerator, denominator]) => {
      const [dividend, divisor] = [BigInt(value) * BigInt(numerator), BigInt(denominator)];
      const [down, up] = [scaleDown(value, numerator, denominator), scaleUp(value, numerator, denominator)];
      return down === Number(floorOf(dividend, divisor)) && up === Number(ceilOf(dividend, divisor));
    });

    fc.assert(agree, { numRuns: 50_000 });
  });

  it.each([
    [7, 1, 2, 3, 4],
    [-7, 1, 2, -4, -3],
    [6, 1, 2, 3, 3],
    [0, 5, 7, 0, 0],
    [MOST, 1, 2, 4_503_599_627_370_495, 4_503_599_627_370_496],
    [MOST, MOST, MOST, MOST, MOST],
    [1, 1, MOST, 0, 1],
    [-1, 1, MOST, -1, 0],
  ])('makes of %d × %d / %d the whole numbers around it, %d and %d', (value, numerator, denominator, floor, ceiling) => {
    const around = [scaleDown(value, numerator, denominator), scaleUp(value, numerator, denominator)];

    expect(around).toStrictEqual([floor, ceiling]);
  });

  it('stays whole where the last step below a negative product would leave 53 bits', () => {
    const [dividend, divisor] = [MOST, 3];

    expect(scaleDown(-dividend, 1, divisor)).toBe(-3_002_399_751_580_331);
    expect(scaleUp(dividend, 1, divisor)).toBe(3_002_399_751_580_331);
  });

  it('never answers with a negative zero, which prints as -0', () => {
    const zeros = [scaleDown(-0, 1, 3), scaleUp(0, 1, 3), scaleUp(-1, 1, 3), scaleDown(1, 1, 3)];

    expect(zeros.every((zero) => Object.is(zero, 0))).toBe(true);
  });
});

describe('the greatest common divisor', () => {
  it('divides both, and leaves nothing in common', () => {
    const isGreatest = fc.property(anyFactor, anyFactor, (a, b) => {
      const divisor = greatestCommonDivisor(a, b);
      return a % divisor === 0 && b % divisor === 0 && greatestCommonDivisor(a / divisor, b / divisor) === 1;
    });

    fc.assert(isGreatest);
    expect(greatestCommonDivisor(1_000_000, 600)).toBe(200);
  });
});
