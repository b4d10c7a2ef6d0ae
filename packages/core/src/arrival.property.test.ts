import fc from 'fast-check';
import { describe, it } from 'vitest';
import { anyEncounter, anyLimit, anyShare, type Encounter, spread } from '../test/any-limit.js';
import { exactBucket, exactCreditUs, exactDebitUs, exactForm } from '../test/exact-bucket.js';
import { availableTokens, formFor, isStale, latestUs, waitMs } from './arrival.js';
import { creditUs, debitUs, timingOf } from './timing.js';

/** Together more than 200,000 cases. Plain comparisons: a matcher for each would cost more than the arithmetic. */
const RUNS = { times: 50_000, forms: 80_000, available: 50_000, wait: 50_000, backwards: 30_000 };

const admitted = ({ timing, tatUs }: Encounter, nowUs: number, tokens: number): boolean =>
  formFor(timing, tatUs, nowUs, debitUs(timing, tokens)) !== undefined;

describe('the arithmetic in doubles', () => {
  it('derives the same times, debits and credits as whole numbers of any size do', () => {
    const request = fc.tuple(anyLimit, anyShare, fc.constantFrom(1, 4));

    const agree = fc.property(request, ([limit, share, capacities]) => {
      const [timing, exact] = [timingOf(limit), exactBucket(limit)];
      const tokens = spread(1, limit.capacity * capacities, share);
      return (
        BigInt(timing.toleranceUs) === exact.toleranceUs &&
        BigInt(timing.deadBandUs) === exact.deadBandUs &&
        BigInt(timing.busyToleranceUs) === exact.busyToleranceUs &&
        BigInt(debitUs(timing, tokens)) === exactDebitUs(exact, tokens) &&
        BigInt(creditUs(timing, tokens)) === exactCreditUs(exact, tokens)
      );
    });

    fc.assert(agree, { numRuns: RUNS.times });
  });

  it('admits what whole numbers of any size admit, by the same form', () => {
    const agree = fc.property(anyEncounter, ({ limit, timing, tatUs, nowUs, tokens, chargeUs }) => {
      const exact = exactBucket(limit);
      const latest = BigInt(nowUs) + exact.busyToleranceUs - exactDebitUs(exact, tokens);
      const stale = tatUs === undefined || BigInt(nowUs) - BigInt(tatUs) > exact.deadBandUs;
      return (
        formFor(timing, tatUs, nowUs, chargeUs) === exactForm(exact, tatUs, nowUs, tokens) &&
        BigInt(latestUs(timing, nowUs, chargeUs)) === latest &&
        isStale(timing, tatUs, nowUs) === stale
      );
    });

    fc.assert(agree, { numRuns: RUNS.forms });
  });

  it('says as available the largest request that is admitted, and 0 or a debt where none is', () => {
    const isLargest = fc.property(anyEncounter, (encounter) => {
      const { limit, timing, tatUs, nowUs } = encounter;
      const available = availableTokens(timing, tatUs, nowUs);
      if (!Number.isSafeInteger(available) || available > limit.capacity) return false;
      if (available > 0 && !admitted(encounter, nowUs, available)) return false;
      return available === limit.capacity || !admitted(encounter, nowUs, Math.max(1, available + 1));
    });

    fc.assert(isLargest, { numRuns: RUNS.available });
  });

  it('tells a wait that suffices, while a millisecond less does not, and 0 exactly where no wait is needed', () => {
    const isTight = fc.property(anyEncounter, (encounter) => {
      const { timing, tatUs, nowUs, tokens, chargeUs } = encounter;
      const ms = waitMs(timing, tatUs, nowUs, chargeUs);
      if (!Number.isSafeInteger(ms) || ms < 0) return false;
      if (!admitted(encounter, nowUs + ms * 1000, tokens)) return false;
      return ms === 0 || !admitted(encounter, nowUs + (ms - 1) * 1000, tokens);
    });

    fc.assert(isTight, { numRuns: RUNS.wait });
  });

  it('mints nothing when time goes backwards: at an earlier moment no more is available, and no more is admitted', () => {
    const isMonotonic = fc.property(anyEncounter, anyShare, (encounter, share) => {
      const { timing, tatUs, nowUs, tokens } = encounter;
      const earlierUs = nowUs - spread(1, 2 * timing.toleranceUs + 2, share);
      const isLess = availableTokens(timing, tatUs, earlierUs) <= availableTokens(timing, tatUs, nowUs);
      return isLess && (!admitted(encounter, earlierUs, tokens) || admitted(encounter, nowUs, tokens));
    });

    fc.assert(isMonotonic, { numRuns: RUNS.backwards });
  });
});

describe('a request that may wait', () => {
  it('is admitted exactly where it would be by the end of its wait, if nobody else came', () => {
    const anyWaitUs = fc.integer({ min: 1, max: 3_600_000_000 });
    const anyAheadUs = fc.integer({ min: 1, max: 7_200_000_000 });
    fc.assert(
      fc.property(anyLimit, anyAheadUs, anyWaitUs, fc.integer({ min: 1, max: 1_000 }), (limit, aheadUs, waitUs, tokens) => {
        const timing = timingOf(limit);
        const [nowUs, chargeUs] = [1_800_000_000_000_000, debitUs(timing, Math.min(tokens, limit.capacity))];
        const tatUs = nowUs + aheadUs;
        const waits = formFor(timing, tatUs, nowUs, chargeUs, waitUs) !== undefined;
        const comesLater = formFor(timing, tatUs, nowUs + waitUs, chargeUs) !== undefined;
        return waits === comesLater;
      }),
      { numRuns: 20_000 },
    );
  });
});
