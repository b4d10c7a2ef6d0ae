import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimit, anyNowUs, anyShare, spread } from '../test/any-limit.js';
import { availableTokens, formFor } from './arrival.js';
import { acrossLayouts, FIRST_LAYOUT, layoutAfter, MAX_SHARDS, mostShards, shardCount, shardTiming } from './layout.js';
import { creditUs, debitUs, timingOf } from './timing.js';

const COUNTS = [1, 2, 4, 8, 16, 32];
const anyCount = fc.constantFrom(...COUNTS);
const RUNS = { numRuns: 5_000 };

describe('a layout', () => {
  it('says how many items there are, and is larger than every one before it, whichever decisions there were', () => {
    const grows = fc.property(fc.array(anyCount, { minLength: 1, maxLength: 200 }), (counts) => {
      let layout = FIRST_LAYOUT;
      for (const count of counts) {
        const next = layoutAfter(layout, count);
        if (next <= layout || shardCount(next) !== count) return false;
        layout = next;
      }
      return true;
    });

    fc.assert(grows);
    expect(shardCount(FIRST_LAYOUT)).toBe(1);
  });

  it('is the same for all who decide the same from where they are, and another one for whoever decides otherwise', () => {
    const two = layoutAfter(FIRST_LAYOUT, 2);

    expect([layoutAfter(two, 4), layoutAfter(two, 1)]).toEqual([132, 129]);
    expect(layoutAfter(layoutAfter(two, 1), 2)).not.toBe(two);
  });
});

describe('the times of one item of several', () => {
  it('have as much of the rate and the capacity as there are items, and the same tolerance, without any rounding', () => {
    const shares = fc.property(anyLimit, anyCount, (limit, count) => {
      const [whole, own] = [timingOf(limit), shardTiming(timingOf(limit), count)];
      if (count === 1) return own === whole;
      expect(own).toMatchObject({ periodUs: whole.periodUs * count, refill: whole.refill, scale: whole.scale });
      expect(own).toMatchObject({ toleranceUs: whole.toleranceUs, deadBandUs: whole.deadBandUs });
      return own.busyToleranceUs === whole.toleranceUs - whole.deadBandUs && own.capacity === Math.floor(whole.capacity / count);
    });

    fc.assert(shares, RUNS);
  });

  it('admit in all of them together no more than the bucket holds, however the requests are cut', () => {
    const mints = fc.property(
      anyLimit,
      anyCount,
      anyNowUs,
      fc.array(anyShare, { minLength: 1, maxLength: 20 }),
      (limit, count, nowUs, cuts) => {
        const own = shardTiming(timingOf(limit), count);
        let [tatUs, taken, tries] = [nowUs, 0n, 0];
        for (;;) {
          const tokens = spread(1, limit.capacity, cuts[tries % cuts.length] as number);
          tries += 1;
          const chargeUs = debitUs(own, tokens);
          if (tries > 200 || formFor(own, tatUs, nowUs, chargeUs) === undefined) break;
          tatUs += chargeUs;
          taken += BigInt(tokens);
        }
        // One item of n: so n of them. The undivided one may hold less than a token more, for its rounding.
        return count === 1 || taken * BigInt(count) <= BigInt(limit.capacity);
      },
    );

    fc.assert(mints, RUNS);
  });

  it('are made once', () => {
    const timing = timingOf(fc.sample(anyLimit, { numRuns: 1, seed: 1 })[0] as never);

    expect(shardTiming(timing, 4)).toBe(shardTiming(timing, 4));
  });
});

describe('an arrival time that a split copies', () => {
  it('lacks on both items together what it lacked on one, as far as whole tokens show', () => {
    const conserves = fc.property(anyLimit, fc.constantFrom(1, 2, 4, 8, 16), anyNowUs, anyShare, (limit, count, nowUs, share) => {
      const [before, after] = [shardTiming(timingOf(limit), count), shardTiming(timingOf(limit), 2 * count)];
      const tatUs = nowUs + spread(1, before.toleranceUs + 1, share);
      const [one, half] = [availableTokens(before, tatUs, nowUs), availableTokens(after, tatUs, nowUs)];
      // The rounding that one item is granted goes with the first split.
      const slack = count === 1 ? 1 : 0;
      // A debt is shown in whole tokens, and may end in half of one on each.
      const halves = one < 0 ? 1 : 0;
      return 2 * half <= one + halves && 2 * half >= one - 1 - slack - (limit.capacity % 2);
    });

    fc.assert(conserves, RUNS);
  });
});

describe('a time that is brought from one layout to another', () => {
  it('is worth the same tokens; a debit is rounded up, a credit down', () => {
    const same = fc.property(fc.nat({ max: 2 ** 46 }), anyCount, anyCount, (chargeUs, from, to) => {
      const [up, down] = [acrossLayouts(chargeUs, from, to, 'up'), acrossLayouts(chargeUs, from, to, 'down')];
      const [exact, base] = [chargeUs * to, from];
      return up * base >= exact && up * base < exact + base && down * base <= exact && down * base > exact - base;
    });

    fc.assert(same, RUNS);
    expect(Object.is(acrossLayouts(0, 4, 1, 'up'), 0)).toBe(true);
  });

  it('gives back no more than was charged, whatever way it goes', () => {
    const gives = fc.property(anyLimit, anyShare, fc.array(anyCount, { minLength: 2, maxLength: 6 }), (limit, share, way) => {
      const tokens = spread(1, Math.min(limit.capacity, 1_000_000), share);
      let chargeUs = debitUs(shardTiming(timingOf(limit), way[0] as number), tokens);
      const exact = chargeUs / (way[0] as number);
      for (const [step, to] of way.slice(1).entries()) chargeUs = acrossLayouts(chargeUs, way[step] as number, to, 'down');
      const last = way.at(-1) as number;
      return chargeUs / last <= exact && creditUs(shardTiming(timingOf(limit), last), tokens) >= 0;
    });

    fc.assert(gives, RUNS);
  });
});

describe('the most items of a bucket', () => {
  it.each([
    [[1_000_000], 32, 32],
    [[320], 32, 32],
    [[319], 32, 16],
    [[1_000_000, 39], 32, 2],
    [[20], 32, 2],
    [[19], 32, 1],
    [[1], 32, 1],
    [[], 32, 32],
    [[1_000_000], 1_000, MAX_SHARDS],
    [[1_000_000], 31, 16],
    [[1_000_000], 3, 2],
    [[1_000_000], 1, 1],
    [[1_000_000], 0, 1],
  ])('with capacities of %j and at most %i is %i', (capacities, maxShards, expected) => {
    expect(mostShards(capacities, maxShards)).toBe(expected);
  });

  it('is a power of two that leaves each item ten tokens', () => {
    const fits = fc.property(fc.integer({ min: 1, max: 10 ** 12 }), fc.integer({ min: 1, max: 64 }), (capacity, maxShards) => {
      const most = mostShards([capacity], maxShards);
      return COUNTS.includes(most) && most <= maxShards && (most === 1 || capacity / most >= 10);
    });

    fc.assert(fits, RUNS);
  });
});
