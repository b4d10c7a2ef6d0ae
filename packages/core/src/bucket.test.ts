import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimit, anyNowUs, anyShare, spread } from '../test/any-limit.js';
import { exactBucket } from '../test/exact-bucket.js';
import { type BucketState, chargeMove, counterBase, insistChargeMove, insistMove, needsLongerTtl, takeMove, ttlSecFor } from './bucket.js';
import { FIRST_LAYOUT, layoutAfter } from './layout.js';
import { Limit } from './limit.js';
import { debitUs, timingOf } from './timing.js';

const NOW_US = 1_800_000_000_000_000;
const NOW_SEC = NOW_US / 1_000_000;
const DAY_SEC = 86_400;
const WEEK_SEC = 7 * DAY_SEC;
/** An item that is all of its bucket. */
const ONLY = { shard: 0 };

const rpm = Limit.perMinute('rpm', 1000);
const timing = timingOf(rpm);

function stateWith(tatsUs: readonly number[], ttlSec = 0): BucketState {
  const limits = new Map(tatsUs.map((tatUs, index) => [`l${index}`, { tatUs, used: 0n, returned: 0n }]));
  return { limits, seq: 1, configVersion: undefined, ttlSec };
}

describe('a move that takes', () => {
  const chargeUs = debitUs(timing, 10);

  it('by the busy form lands from the dead-band behind now to where the request just fits', () => {
    const move = takeMove('rpm', timing, 'busy', 10, chargeUs, NOW_US);

    const [fromUs, toUs] = [NOW_US - timing.deadBandUs, NOW_US + timing.busyToleranceUs - chargeUs];
    expect(move).toStrictEqual({ form: 'busy', limit: 'rpm', tokens: 10, chargeUs, fromUs, toUs, scale: '60000/1' });
  });

  it('by the idle form lands on any full bucket', () => {
    const move = takeMove('rpm', timing, 'idle', 10, chargeUs, NOW_US);

    expect(move).toStrictEqual({ form: 'idle', limit: 'rpm', tokens: 10, chargeUs, toUs: NOW_US, scale: '60000/1' });
  });

  it('all of the capacity lands only on a bucket that has been full for as long as the lag may hide', () => {
    const all = debitUs(timing, 1000);

    const move = takeMove('rpm', timing, 'idle', 1000, all, NOW_US);

    expect(move).toMatchObject({ toUs: NOW_US - (all - timing.busyToleranceUs) });
  });

  it('what is spent already has no upper bound', () => {
    const [busy, idle] = [
      chargeMove('rpm', timing, 'busy', 5000, 300_000_000, NOW_US),
      chargeMove('rpm', timing, 'idle', 5000, 300_000_000, NOW_US),
    ];

    const charge = { limit: 'rpm', tokens: 5000, chargeUs: 300_000_000, scale: '60000/1' };
    expect(busy).toStrictEqual({ ...charge, form: 'busy', fromUs: NOW_US - timing.deadBandUs });
    expect(idle).toStrictEqual({ ...charge, form: 'idle', toUs: NOW_US });
  });
});

describe('a move that insists', () => {
  const chargeUs = debitUs(timing, 10);
  const fromUs = NOW_US - timing.deadBandUs - 7_000;

  it('reaches further behind than the dead-band, and pays for that on top', () => {
    const move = insistMove('rpm', timing, 10, chargeUs, fromUs, NOW_US);

    const toUs = NOW_US + timing.busyToleranceUs - chargeUs - 7_000;
    expect(move).toStrictEqual({ form: 'busy', limit: 'rpm', tokens: 10, chargeUs: chargeUs + 7_000, fromUs, toUs, scale: '60000/1' });
  });

  it('on what is spent already pays the same, and has no upper bound', () => {
    const move = insistChargeMove('rpm', timing, 10, chargeUs, fromUs, NOW_US);

    expect(move).toStrictEqual({ form: 'busy', limit: 'rpm', tokens: 10, chargeUs: chargeUs + 7_000, fromUs, scale: '60000/1' });
  });

  it('pays nothing on top where it reaches no further', () => {
    const move = insistMove('rpm', timing, 10, chargeUs, NOW_US - timing.deadBandUs, NOW_US);

    expect(move).toStrictEqual(takeMove('rpm', timing, 'busy', 10, chargeUs, NOW_US));
  });
});

describe('the life of an item', () => {
  it('ends a week after it can be full again', () => {
    const ttlSec = ttlSecFor([timing, timingOf(Limit.perDay('rpd', 10))], undefined, NOW_US, ONLY);

    expect(ttlSec).toBe(NOW_SEC + DAY_SEC + WEEK_SEC);
  });

  it('covers a debt that was seen, of any limit', () => {
    const ttlSec = ttlSecFor([timing], stateWith([NOW_US, NOW_US + 3_600_000_001]), NOW_US, ONLY);

    expect(ttlSec).toBe(NOW_SEC + 3601 + WEEK_SEC);
  });

  it('is at least a week where nothing is known', () => {
    const ttlSec = ttlSecFor([], undefined, NOW_US, ONLY);

    expect(ttlSec).toBe(NOW_SEC + WEEK_SEC);
  });

  it.each([
    ['the first item of a bucket that is spread', 0, layoutAfter(FIRST_LAYOUT, 4), 90 * DAY_SEC],
    ['the first item of a bucket that once was', 0, layoutAfter(layoutAfter(FIRST_LAYOUT, 2), 1), 90 * DAY_SEC],
    ['any other item', 1, layoutAfter(FIRST_LAYOUT, 4), WEEK_SEC],
  ])('is so long that the first item, which says how it is spread, outlives the others: %s', (_, shard, layout, graceSec) => {
    expect(ttlSecFor([], undefined, NOW_US, { shard, layout })).toBe(NOW_SEC + graceSec);
    expect(ttlSecFor([], { ...stateWith([NOW_US]), layout }, NOW_US, { shard })).toBe(NOW_SEC + graceSec);
  });

  it('never ends before the bucket is full, whatever is taken in the write that sets it', () => {
    const outlives = fc.property(anyLimit, anyNowUs, anyShare, (limit, nowUs, share) => {
      const [times, tokens] = [timingOf(limit), spread(1, limit.capacity, share)];
      const fullUs = nowUs + debitUs(times, tokens);
      return ttlSecFor([times], stateWith([nowUs]), nowUs, ONLY) * 1_000_000 > fullUs;
    });

    fc.assert(outlives, { numRuns: 5_000 });
  });
});

describe('an item needs a longer life', () => {
  it.each([
    ['if its debt outlasts it', NOW_US, NOW_SEC - 1, true],
    ['if it ends less than a day after it is full', NOW_US, NOW_SEC + DAY_SEC - 1, true],
    ['unless it ends a day after it is full', NOW_US, NOW_SEC + DAY_SEC, false],
    ['unless it ends a week after it is full', NOW_US, NOW_SEC + WEEK_SEC, false],
  ])('%s', (_, tatUs, ttlSec, expected) => {
    expect(needsLongerTtl(stateWith([0, tatUs], ttlSec))).toBe(expected);
  });

  it('never after a write that knew its debt', () => {
    const isLongEnough = fc.property(
      fc.array(fc.integer({ min: 0, max: 5_000_000_000_000_000 }), { maxLength: 10 }),
      anyNowUs,
      (tatsUs, nowUs) => {
        const state = stateWith(tatsUs);
        return !needsLongerTtl({ ...state, ttlSec: ttlSecFor([], state, nowUs, ONLY) });
      },
    );

    fc.assert(isLongEnough, { numRuns: 2_000 });
  });
});

describe('the counters of a new item', () => {
  it('begin at its creation in nanoseconds', () => {
    expect(counterBase(NOW_US)).toBe(1_800_000_000_000_000_000n);
  });

  it('begin above those of the item before it, whatever that had consumed within its rate, debts included', () => {
    const anyLife = fc.tuple(anyLimit, anyNowUs, anyShare, anyShare);

    const goesOn = fc.property(anyLife, ([limit, bornUs, lifeShare, debtShare]) => {
      const { periodUs, refill, capacity } = exactBucket(limit);
      const lifeUs = spread(1, 366 * 86_400_000_000, lifeShare);
      const debtTokens = spread(1, Math.min(limit.capacity, 1_000_000), debtShare);
      const lastUs = bornUs + lifeUs;
      const used = counterBase(bornUs) + capacity + (BigInt(lifeUs) * refill) / periodUs + 1n + BigInt(debtTokens);
      const times = timingOf(limit);

      const fullUs = lastUs + times.toleranceUs + debitUs(times, debtTokens);
      const gone = ttlSecFor([times], stateWith([fullUs]), lastUs, ONLY) * 1_000_000;

      return counterBase(gone) > used;
    });

    fc.assert(goesOn, { numRuns: 20_000 });
  });
});
