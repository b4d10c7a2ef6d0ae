import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimit, anyNowUs, anyShare, spread } from '../test/any-limit.js';
import { exactBucket } from '../test/exact-bucket.js';
import { IntervalGauge, SingleBucket } from '../test/single-bucket.js';
import { Limit } from './limit.js';
import { timingOf } from './timing.js';

/** What a client does next: it lets time pass, guesses a form, and asks for so much. */
const anyStep = fc.record({
  gap: fc.constantFrom('none', 'blink', 'token', 'until full', 'until full', 'refill', 'idle'),
  gapShare: anyShare,
  size: fc.constantFrom('one', 'all', 'some', 'some', 'nearly all'),
  sizeShare: anyShare,
  firstGuess: fc.constantFrom('busy' as const, 'idle' as const, 'insist' as const, undefined),
  lagShare: anyShare,
});
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** Time ends in 2200: what comes after would leave 53 bits. */
const END_US = 7_258_118_400_000_000;

function after(step: Step, bucket: SingleBucket, nowUs: number): number {
  return Math.min(END_US, nowUs + gapUs(step, bucket, nowUs));
}

function gapUs({ gap, gapShare }: Step, bucket: SingleBucket, nowUs: number): number {
  const { toleranceUs, deadBandUs, periodUs, refill } = timingOf(bucket.limit);
  switch (gap) {
    case 'none':
      return 0;
    case 'blink':
      return Math.floor(gapShare * 5);
    case 'token':
      return Math.floor((2 * gapShare * periodUs) / refill);
    case 'until full':
      return Math.max(0, (bucket.tatUs ?? nowUs) - nowUs + Math.floor(gapShare * 1.5 * (deadBandUs + 1)));
    case 'refill':
      return Math.floor(gapShare * toleranceUs);
    default:
      return Math.floor(gapShare * 10 * toleranceUs);
  }
}

function sizeOf({ size, sizeShare }: Step, capacity: number): number {
  if (size === 'one') return 1;
  if (size === 'all') return capacity;
  return size === 'some' ? spread(1, capacity, sizeShare) : Math.max(1, Math.floor(capacity * (1 - sizeShare / 20)));
}

/** Guesses, right or wrong, and falls back on what is known after a refusal, as the engine does. */
function take(bucket: SingleBucket, step: Step, tokens: number, nowUs: number): boolean {
  return guess(bucket, step, tokens, nowUs) || bucket.take(tokens, nowUs);
}

function guess(bucket: SingleBucket, { firstGuess, lagShare }: Step, tokens: number, nowUs: number): boolean {
  if (firstGuess === undefined) return false;
  if (firstGuess !== 'insist') return bucket.takeBy(firstGuess, tokens, nowUs);
  return bucket.insist(tokens, nowUs - Math.floor(lagShare * 2 * timingOf(bucket.limit).toleranceUs), nowUs);
}

describe('a bucket', () => {
  it('never admits as much as C + r·w + 1 tokens in any interval of length w, whatever forms are guessed', () => {
    const steps = fc.array(anyStep, { minLength: 1, maxLength: 40, size: 'max' });

    const staysWithin = fc.property(anyLimit, anyNowUs, steps, (limit, startUs, plan) => {
      const [bucket, gauge] = [new SingleBucket(limit), new IntervalGauge(limit)];
      let nowUs = startUs;
      return plan.every((step) => {
        nowUs = after(step, bucket, nowUs);
        const tokens = sizeOf(step, limit.capacity);
        if (take(bucket, step, tokens, nowUs)) gauge.admit(tokens, nowUs);
        return gauge.isWithinBound;
      });
    });

    fc.assert(staysWithin, { numRuns: 15_000 });
  });

  it('gives no more for a clock that jumps back: the same holds by the highest time that was read so far', () => {
    const jump = fc.record({ step: anyStep, backShare: fc.oneof(fc.constant(0), anyShare) });
    const jumps = fc.array(jump, { minLength: 1, maxLength: 40, size: 'max' });

    const staysWithin = fc.property(anyLimit, anyNowUs, jumps, (limit, startUs, plan) => {
      const [bucket, gauge] = [new SingleBucket(limit), new IntervalGauge(limit)];
      let [trueUs, highestUs] = [startUs, Number.NEGATIVE_INFINITY];
      return plan.every(({ step, backShare }) => {
        trueUs = after(step, bucket, trueUs);
        const readUs = trueUs - Math.floor(backShare * 2 * timingOf(limit).toleranceUs);
        highestUs = Math.max(highestUs, readUs);
        const tokens = sizeOf(step, limit.capacity);
        if (take(bucket, step, tokens, readUs)) gauge.admit(tokens, highestUs);
        return gauge.isWithinBound;
      });
    });

    fc.assert(staysWithin, { numRuns: 15_000 });
  });

  it('admits one request of its whole capacity once it has been full for the dead-band, and then nothing at that moment', () => {
    const fullFor = fc.oneof(fc.constant(0), anyShare);

    const admitsAll = fc.property(anyLimit, anyNowUs, fullFor, (limit, nowUs, share) => {
      const { deadBandUs, toleranceUs } = timingOf(limit);
      const restedUs = deadBandUs + 1 + Math.floor(share * toleranceUs);
      const [rested, fresh] = [new SingleBucket(limit, nowUs - restedUs), new SingleBucket(limit)];
      return [rested, fresh].every((bucket) => bucket.take(limit.capacity, nowUs) && !bucket.take(1, nowUs));
    });

    fc.assert(admitsAll, { numRuns: 20_000 });
  });
});

describe('a full bucket that is asked for single tokens at once', () => {
  const anySmallLimit = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 10_000 }));
  /** One token's time is whole, or a microsecond longer than the capacity: there rounding up costs less than a token in all. */
  const roundsFreely = ([capacity, refill, periodMs]: readonly [number, number, number]): boolean =>
    (periodMs * 1000) % refill === 0 || Math.floor((periodMs * 1000) / refill) > capacity;

  it('gives exactly its capacity where the reserve is less than a token', () => {
    const givesAll = fc.property(anySmallLimit.filter(roundsFreely), anyNowUs, anyShare, ([capacity, refill, periodMs], nowUs, share) => {
      const limit = Limit.of({ name: 'small', capacity, refill, periodMs });
      const fullSinceUs = nowUs - Math.floor(share * share * timingOf(limit).toleranceUs);
      return new SingleBucket(limit).drain(nowUs) === capacity && new SingleBucket(limit, fullSinceUs).drain(nowUs) === capacity;
    });

    fc.assert(givesAll, { numRuns: 5_000 });
  });

  it('gives exactly its capacity without a reserve, however large it is', () => {
    const anyWholeTokenTime = fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 1_000 }));

    const givesAll = fc.property(anyWholeTokenTime, anyNowUs, ([capacity, periodMs], nowUs) => {
      const limit = Limit.of({ name: 'whole', capacity, refill: 1, periodMs, reserve: 0 });
      return new SingleBucket(limit).drain(nowUs) === capacity && new SingleBucket(limit, nowUs).drain(nowUs) === capacity;
    });

    fc.assert(givesAll, { numRuns: 500 });
  });

  it('gives at least 98 % where it takes half a second or more to fill, but for what rounding up each token costs', () => {
    const anyLargeLimit = fc
      .tuple(fc.integer({ min: 51, max: 3_000 }), fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 60_000 }))
      .filter(([capacity, refill, periodMs]) => capacity * periodMs >= 500 * refill);

    const givesMost = fc.property(anyLargeLimit, anyNowUs, ([capacity, refill, periodMs], nowUs) => {
      const limit = Limit.of({ name: 'large', capacity, refill, periodMs });
      const tokens = new SingleBucket(limit, nowUs).drain(nowUs);
      const eachUs = Math.ceil((periodMs * 1000) / refill);
      return tokens <= capacity && tokens >= Math.floor((0.98 * timingOf(limit).toleranceUs) / eachUs);
    });

    fc.assert(givesMost, { numRuns: 500 });
  });

  it('keeps back no more than the reserve, or two round trips, or a tenth where it fills in a few round trips', () => {
    const keepsLittle = fc.property(anyLimit, (limit) => {
      const { busyToleranceUs, toleranceUs } = timingOf(limit);
      const { deadBandUs } = exactBucket(limit);
      const keptUs = toleranceUs - busyToleranceUs;
      const reserveUs = Math.floor(limit.reserve * toleranceUs);
      if (limit.reserve === 0 || limit.reserve * limit.capacity <= 1) return keptUs <= 0;
      return keptUs <= deadBandUs && keptUs <= Math.max(reserveUs, Math.min(10_000, Math.floor(toleranceUs / 10)));
    });

    fc.assert(keepsLittle, { numRuns: 20_000 });
    expect(timingOf(Limit.perSecond('burst', 1000, { capacity: 50 })).busyToleranceUs).toBeGreaterThanOrEqual(50_000);
  });
});
