import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEncounter, anyShare } from '../test/any-limit.js';
import { availableTokens, formFor, guessForm, isStale, waitMs } from './arrival.js';
import { Limit } from './limit.js';
import { debitUs, timingOf } from './timing.js';

const NOW_US = 1_800_000_000_000_000;
const SECOND_US = 1_000_000;

/** 1,000 tokens of 60 ms each; δ = 1.2 s, so that τ′ falls 19 tokens and a little short of τ. */
const large = timingOf(Limit.perMinute('large', 1000));
const small = timingOf(Limit.perMinute('small', 10));

describe('the form of a request', () => {
  it.each([
    ['nobody has ever taken', undefined, 'idle'],
    ['the bucket has been full for longer than the dead-band', NOW_US - large.deadBandUs - 1, 'idle'],
    ['it has been full for just the dead-band', NOW_US - large.deadBandUs, 'busy'],
    ['it is full since now', NOW_US, 'busy'],
    ['it is half empty', NOW_US + 30 * SECOND_US, 'busy'],
    ['it holds just the request', NOW_US + large.busyToleranceUs - debitUs(large, 10), 'busy'],
    ['it holds a microsecond less than the request', NOW_US + large.busyToleranceUs - debitUs(large, 10) + 1, undefined],
    ['it is deep in debt', NOW_US + 3600 * SECOND_US, undefined],
  ])('where %s is told by the arrival time', (_, tatUs, expected) => {
    const form = formFor(large, tatUs, NOW_US, debitUs(large, 10));

    expect(form).toBe(expected);
  });

  it('of the whole capacity is idle, and waits until the bucket has been full for what the lag may hide', () => {
    const all = debitUs(large, 1000);
    const restedUs = all - large.busyToleranceUs;

    expect(formFor(large, NOW_US - restedUs, NOW_US, all)).toBe('idle');
    expect(formFor(large, NOW_US - restedUs + 1, NOW_US, all)).toBeUndefined();
  });
});

describe('what is available', () => {
  it('is the whole capacity of a bucket that nobody has taken from, or that has rested', () => {
    const [never, rested] = [availableTokens(large, undefined, NOW_US), availableTokens(large, NOW_US - 60 * SECOND_US, NOW_US)];

    expect([never, rested]).toStrictEqual([1000, 1000]);
  });

  it('comes back token by token', () => {
    const tatUs = NOW_US + 60 * SECOND_US;

    const available = [0, 5.999999, 6, 11.999999, 12, 60].map((sec) => availableTokens(small, tatUs, NOW_US + Math.floor(sec * SECOND_US)));

    expect(available).toStrictEqual([0, 0, 1, 1, 2, 10]);
  });

  it('is below zero in debt', () => {
    const available = availableTokens(small, NOW_US + 90 * SECOND_US, NOW_US);

    expect(available).toBe(-5);
  });

  it('is zero and no debt where only the dead-band is missing, and where debits were rounded up', () => {
    const [drained, behind] = [NOW_US + large.toleranceUs, NOW_US + large.busyToleranceUs + 1];
    const sevenths = timingOf(Limit.perSecond('rps', 7));
    const roundedUs = debitUs(sevenths, 7);

    expect([drained, behind].map((tatUs) => availableTokens(large, tatUs, NOW_US))).toStrictEqual([0, 0]);
    expect(availableTokens(sevenths, NOW_US + roundedUs, NOW_US)).toBe(0);
  });

  it('is the debt alone, without the dead-band, where an adjust took more than there was', () => {
    const debts = [0, 1, 250].map((tokens) => availableTokens(large, NOW_US + large.toleranceUs + debitUs(large, tokens), NOW_US));

    expect(debts).toStrictEqual([0, -1, -250]);
  });
});

describe('the wait', () => {
  it.each([
    ['is nothing where nobody has taken', undefined, 10, 0],
    ['is nothing for a request that is admitted', NOW_US + 54 * SECOND_US, 1, 0],
    ['is the time of a token in an empty bucket', NOW_US + 60 * SECOND_US, 1, 6_000],
    ['is the time to fill for the whole capacity', NOW_US + 60 * SECOND_US, 10, 60_000],
    ['is rounded up to the millisecond', NOW_US + 54 * SECOND_US + 1, 1, 1],
    ['counts a debt', NOW_US + 90 * SECOND_US, 1, 36_000],
  ])('%s', (_, tatUs, tokens, expected) => {
    const ms = waitMs(small, tatUs, NOW_US, debitUs(small, tokens));

    expect(ms).toBe(expected);
  });
});

describe('the guess of a form', () => {
  const one = debitUs(large, 1);

  it.each([
    ['seen busy', NOW_US + SECOND_US, 0, 'busy'],
    ['seen full within the dead-band, whatever was learned', NOW_US - large.deadBandUs, 0, 'busy'],
    ['seen exhausted, which a refusal will tell', NOW_US + 61 * SECOND_US, 0, 'busy'],
    ['seen long ago, and mostly found idle', NOW_US - 61 * SECOND_US, 0.5, 'idle'],
    ['seen long ago, and mostly found busy', NOW_US - 61 * SECOND_US, 0.51, 'busy'],
    ['never seen, and mostly found idle', undefined, 0.3, 'idle'],
    ['never seen, and mostly found busy', undefined, 0.9, 'busy'],
  ])('of a bucket that was %s', (_, seenUs, busyShare, expected) => {
    const form = guessForm(large, seenUs, busyShare, NOW_US, one);

    expect(form).toBe(expected);
  });

  it('is idle for a request that only a full bucket admits', () => {
    const form = guessForm(large, NOW_US + SECOND_US, 1, NOW_US, debitUs(large, 1000));

    expect(form).toBe('idle');
  });

  it('is right whenever the state was seen within the dead-band and nobody took since', () => {
    const isRight = fc.property(anyEncounter, anyShare, ({ timing, tatUs, nowUs, chargeUs }, busyShare) => {
      const form = formFor(timing, tatUs, nowUs, chargeUs);
      if (form === undefined || isStale(timing, tatUs, nowUs)) return true;
      return guessForm(timing, tatUs, busyShare, nowUs, chargeUs) === form;
    });

    fc.assert(isRight, { numRuns: 20_000 });
  });
});
