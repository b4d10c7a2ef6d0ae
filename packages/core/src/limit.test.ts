import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimit } from '../test/any-limit.js';
import { refusal } from '../test/refusal.js';
import { checkLimits, Limit, MAX_LIMITS, tokenTime } from './limit.js';

describe('a limit', () => {
  it.each([
    ['second', Limit.perSecond('rps', 5), 1000],
    ['minute', Limit.perMinute('rpm', 5), 60_000],
    ['hour', Limit.perHour('rph', 5), 3_600_000],
    ['day', Limit.perDay('rpd', 5), 86_400_000],
  ])('per %s holds the tokens of one period unless told otherwise', (_, limit, periodMs) => {
    expect(limit).toMatchObject({ refill: 5, periodMs, capacity: 5, reserve: 0.02 });
  });

  it('takes a capacity and a reserve of its own', () => {
    const limit = Limit.of({ name: 'burst', refill: 10, periodMs: 250, capacity: 40, reserve: 0 });

    expect(limit).toStrictEqual({ name: 'burst', refill: 10, periodMs: 250, capacity: 40, reserve: 0 });
  });

  it('cannot be changed once it is made', () => {
    const limit = Limit.perMinute('rpm', 5);

    expect(Object.isFrozen(limit)).toBe(true);
  });

  it('may be as slow as one in 366 days and as fast as 10⁹ a second', () => {
    const [slow, fast] = [Limit.of({ name: 'slow', refill: 1, periodMs: 366 * 86_400_000 }), Limit.perSecond('fast', 10 ** 9)];

    expect(tokenTime(slow)).toStrictEqual({ periodUs: 366 * 86_400_000_000, refill: 1 });
    expect(tokenTime(fast)).toStrictEqual({ periodUs: 1, refill: 1000 });
  });
});

describe('the limits of a bucket', () => {
  const ten = Array.from({ length: MAX_LIMITS }, (_, index) => Limit.perMinute(`l${index}`, 5));

  it('may be ten, and are handed on as they are', () => {
    const limits = checkLimits('limits', ten);

    expect(limits.every((limit, index) => limit === ten[index])).toBe(true);
  });

  it('may be written out, and are checked as the factories do', () => {
    const limits = checkLimits('limits', [{ name: 'rpm', refill: 5, periodMs: 60_000 }]);

    expect(limits).toStrictEqual([Limit.perMinute('rpm', 5)]);
  });

  it.each([
    ['none', [], 'an array of 1 to 10 limits, got an array of 0'],
    ['eleven', [...ten, Limit.perMinute('l10', 5)], 'an array of 1 to 10 limits, got an array of 11'],
    ['no array', { rpm: 5 }, 'an array of 1 to 10 limits, got an object with rpm'],
    ['one name twice', [ten[0], Limit.perHour('l0', 9)], 'limits of different names, got "l0, l0"'],
    ['something else', ['rpm:5/min'], 'limit must be an object, got "rpm:5/min"'],
    ['a fraction of a token', [{ name: 'rpm', refill: 0.5, periodMs: 1 }], 'limit "rpm": refill must be a whole number'],
  ])('are refused where there are %s', (_, limits, message) => {
    expect(refusal(() => checkLimits('option "limits"', limits)).message).toContain(message);
  });

  it('turn into whole times in lowest terms, whatever the limit', () => {
    const isLowest = fc.property(anyLimit, (limit) => {
      const { periodUs, refill } = tokenTime(limit);
      return BigInt(periodUs) * BigInt(limit.refill) === BigInt(refill) * BigInt(limit.periodMs) * 1000n;
    });

    fc.assert(isLowest, { numRuns: 2_000 });
  });
});
