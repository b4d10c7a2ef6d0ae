import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimit, anyShare, spread } from '../test/any-limit.js';
import { Limit } from './limit.js';
import { creditUs, debitUs, timingOf } from './timing.js';

describe('the times of a limit', () => {
  it.each([
    ['10/min, C = 10', Limit.perMinute('l', 10), { toleranceUs: 60_000_000, deadBandUs: 1_200_000, busyToleranceUs: 60_000_000 }],
    ['500/min, C = 500', Limit.perMinute('l', 500), { toleranceUs: 60_000_000, deadBandUs: 1_200_000, busyToleranceUs: 58_919_999 }],
    ['800,000/min', Limit.perMinute('l', 800_000), { toleranceUs: 60_000_000, deadBandUs: 1_200_000, busyToleranceUs: 58_800_074 }],
    [
      'without a reserve',
      Limit.perMinute('l', 500, { reserve: 0 }),
      { toleranceUs: 60_000_000, deadBandUs: 0, busyToleranceUs: 60_000_000 },
    ],
    [
      '7/s: a token takes no whole number of µs',
      Limit.perSecond('l', 7),
      { toleranceUs: 1_000_000, deadBandUs: 20_000, busyToleranceUs: 1_000_006 },
    ],
    ['10⁹/s', Limit.perSecond('l', 10 ** 9), { toleranceUs: 1_000_000, deadBandUs: 20_000, busyToleranceUs: 980_000 }],
    [
      '20,000/s, C = 200: 10 ms',
      Limit.perSecond('l', 20_000, { capacity: 200 }),
      { toleranceUs: 10_000, deadBandUs: 1_000, busyToleranceUs: 9_049 },
    ],
    ['20/s, C = 20 of 50 ms', Limit.perSecond('l', 20), { toleranceUs: 1_000_000, deadBandUs: 20_000, busyToleranceUs: 1_000_000 }],
    [
      '100/s, C = 10 of 10 ms',
      Limit.perSecond('l', 100, { capacity: 10 }),
      { toleranceUs: 100_000, deadBandUs: 9_999, busyToleranceUs: 100_000 },
    ],
    ['one a day', Limit.perDay('l', 1), { toleranceUs: 86_400_000_000, deadBandUs: 1_728_000_000, busyToleranceUs: 86_400_000_000 }],
  ])('are, for %s, what the rules say', (_, limit, expected) => {
    const timing = timingOf(limit);

    expect(timing).toMatchObject(expected);
  });

  it('are derived once for each limit, and cannot be changed', () => {
    const limit = Limit.perMinute('rpm', 500);

    const [first, second] = [timingOf(limit), timingOf(limit)];

    expect(second).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
  });

  it('hold one token as a fraction in lowest terms', () => {
    const timing = timingOf(Limit.perMinute('rpm', 600));

    expect(timing).toMatchObject({ periodUs: 100_000, refill: 1 });
  });

  it('name their scale by that fraction, so that the same rate has the same scale however it is written', () => {
    const [perMinute, perSecond] = [timingOf(Limit.perMinute('rpm', 420, { capacity: 9 })), timingOf(Limit.perSecond('rps', 7))];

    expect([perMinute.scale, perSecond.scale]).toStrictEqual(['1000000/7', '1000000/7']);
  });

  it('let the lag and all rounding admit less than one token above the capacity together', () => {
    const costsLittle = fc.property(anyLimit, (limit) => {
      const { toleranceUs, deadBandUs, busyToleranceUs, periodUs, refill } = timingOf(limit);
      return BigInt(busyToleranceUs + deadBandUs - toleranceUs) * BigInt(refill) < BigInt(periodUs);
    });

    fc.assert(costsLittle, { numRuns: 20_000 });
  });
});

describe('debits and credits', () => {
  it('never give back more time than the same tokens had taken, however they are split', () => {
    const request = fc.tuple(anyLimit, anyShare, anyShare);

    const mintsNothing = fc.property(request, ([limit, size, cut]) => {
      const timing = timingOf(limit);
      const tokens = spread(1, limit.capacity, size);
      const part = Math.floor(tokens * cut);
      const given = creditUs(timing, part) + creditUs(timing, tokens - part);
      const taken = debitUs(timing, part) + debitUs(timing, tokens - part);
      return given <= creditUs(timing, tokens) && debitUs(timing, tokens) <= taken && given <= debitUs(timing, tokens);
    });

    fc.assert(mintsNothing, { numRuns: 20_000 });
  });

  it('round a debit up and a credit down', () => {
    const timing = timingOf(Limit.perSecond('third', 3));

    expect(debitUs(timing, 1)).toBe(333_334);
    expect(creditUs(timing, 1)).toBe(333_333);
  });
});
