import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimit, anyNowUs, anyShare, spread } from '../test/any-limit.js';
import { ceilOf, exactBucket } from '../test/exact-bucket.js';
import type { LimitState } from './bucket.js';
import { Limit } from './limit.js';
import { creditInScale, debitInScale, inScale, isForeign, rescaleMove } from './scale.js';
import { type Timing, timingOf } from './timing.js';

const NOW_US = 1_800_000_000_000_000;
const FARTHEST_US = 20 * 366 * 86_400_000_000;
const LARGEST_US = 2 ** 52;
const fast = timingOf(Limit.perMinute('rpm', 1000));
const slow = timingOf(Limit.perMinute('rpm', 100, { capacity: 1000 }));

function held(tatUs: number, timing?: Pick<Timing, 'scale'>): LimitState {
  return { tatUs, used: 0n, returned: 0n, ...(timing === undefined ? {} : { scale: timing.scale }) };
}

describe('an arrival time in another scale', () => {
  it.each([
    ['drained', NOW_US + 60_000_000, NOW_US + 600_000_000],
    ['in debt by its capacity', NOW_US + 120_000_000, NOW_US + 1_200_000_000],
    ['short of a token', NOW_US + 60_000, NOW_US + 600_000],
    ['full since now', NOW_US, NOW_US],
    ['full for long', NOW_US - 9 ** 9, NOW_US - 9 ** 9],
  ])('says, of a bucket that is %s, that as many tokens are missing', (_, atFast, atSlow) => {
    expect(inScale(held(atFast, fast), slow, NOW_US)).toBe(atSlow);
    expect(inScale(held(atSlow, slow), fast, NOW_US)).toBe(atFast);
  });

  it('is the same where it is in that scale already, or where nobody has said in which it is', () => {
    expect(inScale(held(NOW_US + 77, slow), slow, NOW_US)).toBe(NOW_US + 77);
    expect(inScale(held(NOW_US + 77), slow, NOW_US)).toBe(NOW_US + 77);
  });

  it.each(['', '60000', '60000/', '/1', '0/1', '1/0', '-6/1', '6e4/1', '1.5/1', ' 6/1', '6/1/1', '99999999999999999/1', 'sixty/one'])(
    'is taken as it is where "%s" is no scale, and may be set right by a rescale',
    (scale) => {
      const broken = held(NOW_US + 77, { scale });

      expect(inScale(broken, fast, NOW_US)).toBe(NOW_US + 77);
      expect(rescaleMove('rpm', broken, fast, NOW_US)).toEqual({
        form: 'rescale',
        limit: 'rpm',
        fromTatUs: NOW_US + 77,
        toTatUs: NOW_US + 77,
        scale: fast.scale,
      });
    },
  );

  it('is read also where the fraction is not in lowest terms', () => {
    expect(inScale(held(NOW_US + 60, { scale: '120000/2' }), slow, NOW_US)).toBe(NOW_US + 600);
  });
});

const anyMissing = fc.tuple(anyLimit, anyLimit, anyNowUs, anyShare).map(([from, to, nowUs, share]) => {
  const missingUs = spread(1, FARTHEST_US, share);
  return { from: timingOf(from), to: timingOf(to), exactFrom: exactBucket(from), exactTo: exactBucket(to), nowUs, missingUs };
});

describe('a conversion', () => {
  it('rounds what is missing up, by less than one microsecond of its new scale', () => {
    const isExact = fc.property(anyMissing, ({ from, to, exactFrom, exactTo, nowUs, missingUs }) => {
      const exact = ceilOf(BigInt(missingUs) * exactTo.periodUs * exactFrom.refill, exactTo.refill * exactFrom.periodUs);
      const converted = inScale(held(nowUs + missingUs, from), to, nowUs);
      return converted === (exact > BigInt(Number.MAX_SAFE_INTEGER - nowUs) ? Number.MAX_SAFE_INTEGER : nowUs + Number(exact));
    });

    fc.assert(isExact, { numRuns: 20_000 });
  });

  it('conserves what is missing within one token, or within what a microsecond is worth at more than a million a second', () => {
    const conserves = fc.property(anyMissing, ({ from, to, exactFrom, exactTo, nowUs, missingUs }) => {
      const converted = inScale(held(nowUs + missingUs, from), to, nowUs);
      if (converted > LARGEST_US) return true;
      // Tokens before and after, both times the two periods, which makes them whole numbers.
      const before = BigInt(missingUs) * exactFrom.refill * exactTo.periodUs;
      const after = BigInt(converted - nowUs) * exactTo.refill * exactFrom.periodUs;
      const token = exactFrom.periodUs * exactTo.periodUs;
      const microsecond = exactTo.refill * exactFrom.periodUs;
      const surplus = after - before;
      return surplus >= 0n && (surplus < token || surplus < microsecond);
    });

    fc.assert(conserves, { numRuns: 20_000 });
  });

  it('there and back never ends below where it began', () => {
    const mintsNothing = fc.property(anyMissing, ({ from, to, nowUs, missingUs }) => {
      const there = inScale(held(nowUs + missingUs, from), to, nowUs);
      return there > LARGEST_US || inScale(held(there, to), from, nowUs) >= nowUs + missingUs;
    });

    fc.assert(mintsNothing, { numRuns: 20_000 });
  });

  it('keeps the order of arrival times', () => {
    const isMonotone = fc.property(anyMissing, anyShare, ({ from, to, nowUs, missingUs }, share) => {
      const less = Math.floor(missingUs * share);
      return inScale(held(nowUs + less, from), to, nowUs) <= inScale(held(nowUs + missingUs, from), to, nowUs);
    });

    fc.assert(isMonotone, { numRuns: 20_000 });
  });

  it('of a charge there and back gives back no more than was taken, and at most a microsecond of the other scale less', () => {
    const settles = fc.property(anyMissing, ({ from, to, exactFrom, exactTo, missingUs }) => {
      const debit = debitInScale(missingUs, from.scale, to.scale);
      const credit = creditInScale(missingUs, from.scale, to.scale);
      const shortBy = BigInt(missingUs) * exactTo.periodUs * exactFrom.refill - BigInt(credit) * exactTo.refill * exactFrom.periodUs;
      if (debit === LARGEST_US) return credit <= debit;
      return credit <= debit && debit - credit <= 1 && shortBy >= 0n && shortBy < exactTo.refill * exactFrom.periodUs;
    });

    fc.assert(settles, { numRuns: 20_000 });
  });
});

describe('a rescale', () => {
  it('is needed where tokens are missing in another scale', () => {
    const move = rescaleMove('rpm', held(NOW_US + 60_000_000, fast), slow, NOW_US);

    const toTatUs = NOW_US + 600_000_000;
    expect(move).toEqual({ form: 'rescale', limit: 'rpm', fromTatUs: NOW_US + 60_000_000, toTatUs, scale: '600000/1' });
  });

  it.each([
    ['where nothing is known', undefined],
    ['where the bucket is full', held(NOW_US, fast)],
    ['where it is in that scale', held(NOW_US + 9, slow)],
    ['where it is older than scales', held(NOW_US + 9)],
  ])('is not needed %s', (_, state) => {
    expect(rescaleMove('rpm', state, slow, NOW_US)).toBeUndefined();
  });

  it('is not made where the arrival time would leave the numbers that are exact', () => {
    const [hugeRate, oneAYear] = [
      timingOf(Limit.perSecond('l', 10 ** 9)),
      timingOf(Limit.of({ name: 'l', refill: 1, periodMs: 366 * 86_400_000 })),
    ];
    const drained = held(NOW_US + 1_000_000, hugeRate);

    expect(rescaleMove('l', drained, oneAYear, NOW_US)).toBeUndefined();
    expect(inScale(drained, oneAYear, NOW_US)).toBe(Number.MAX_SAFE_INTEGER);
    expect(isForeign(drained, oneAYear)).toBe(true);
  });
});
