import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockOffset } from './clock-offset.js';
import { CorrectedClock } from './corrected-clock.js';
import { MonotonicClock } from './monotonic-clock.js';

const START_MS = 1_800_000_000_000;
const MAX_DRIFT = 500e-6;

/** One exchange: after a pause, out and back; the store's clock may drift meanwhile. */
const exchange = fc.record({
  pauseMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 3_600_000 })),
  outMs: fc.double({ min: 0, max: 300, noNaN: true }),
  backMs: fc.double({ min: 0, max: 300, noNaN: true }),
  drift: fc.double({ min: -MAX_DRIFT, max: MAX_DRIFT, noNaN: true }),
});
const exchanges = fc.array(exchange, { minLength: 1, maxLength: 60 });
const anyOffset = fc.oneof(
  fc.integer({ min: -400, max: 400 }),
  fc.integer({ min: -60_000, max: 60_000 }),
  fc.integer({ min: -1e11, max: 1e11 }),
);

/** Has exchanges with a store whose clock is ahead by `offsetMs`, which drifts; calls `after` each with the true offset then. */
function exchangeAll(
  offset: ClockOffset,
  trueMs: number,
  steps: readonly { pauseMs: number; outMs: number; backMs: number; drift: number }[],
  after: (trueMs: number) => void,
): void {
  let [localMs, aheadMs] = [START_MS, trueMs];
  for (const { pauseMs, outMs, backMs, drift } of steps) {
    const sentMs = localMs + pauseMs;
    const writtenMs = sentMs + outMs;
    aheadMs += (writtenMs - localMs) * drift;
    localMs = writtenMs + backMs;
    offset.observe(Math.floor((writtenMs + aheadMs) / 1_000) * 1_000, sentMs, localMs);
    after(aheadMs);
  }
}

describe('the offset of a clock', () => {
  it('that drifts no faster than clocks do is always within what the replies allow', () => {
    fc.assert(
      fc.property(anyOffset, exchanges, (trueMs, steps) => {
        const offset = new ClockOffset();
        exchangeAll(offset, trueMs, steps, (aheadMs) => {
          const { offsetMs = Number.NaN, errorMs = Number.NaN } = offset.estimate() ?? {};
          // The time for the reply to come back is all that can have passed since.
          expect(Math.abs(aheadMs - offsetMs)).toBeLessThanOrEqual(errorMs + 300 * MAX_DRIFT + 0.01);
        });
      }),
    );
  });

  it('is never corrected if it is within 250 ms, and otherwise never by more than it is', () => {
    fc.assert(
      fc.property(anyOffset, exchanges, (trueMs, steps) => {
        const offset = new ClockOffset();
        const still = steps.map((step) => ({ ...step, drift: 0 }));
        exchangeAll(offset, trueMs, still, (aheadMs) => {
          if (Math.abs(aheadMs) <= 250) expect(offset.correctionMs).toBe(0);
          expect(Math.abs(offset.correctionMs)).toBeLessThanOrEqual(Math.abs(aheadMs) + 0.01);
          expect(offset.correctionMs * aheadMs).toBeGreaterThanOrEqual(0);
        });
      }),
    );
  });

  it('is corrected by the first reply to within the second that a reply is cut to, and the round trip', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2_000, max: 1e9 }), fc.boolean(), exchange, (sizeMs, isBehind, step) => {
        const trueMs = isBehind ? sizeMs : -sizeMs;
        const offset = new ClockOffset();
        exchangeAll(offset, trueMs, [{ ...step, drift: 0 }], () => undefined);
        expect(Math.abs(trueMs - offset.correctionMs)).toBeLessThanOrEqual(1_000 + step.outMs + step.backMs + 0.01);
      }),
    );
  });

  it('is known to little more than a round trip after many replies', () => {
    const offset = new ClockOffset();
    const steps = Array.from({ length: 500 }, () => ({ pauseMs: 11, outMs: 2, backMs: 2, drift: 0 }));

    exchangeAll(offset, 700, steps, () => undefined);

    const { offsetMs = 0, errorMs = 0, correctionMs, isCorrected } = offset.estimate() ?? {};
    expect(Math.abs(offsetMs - 700)).toBeLessThanOrEqual(errorMs);
    expect(errorMs).toBeLessThan(12);
    expect(isCorrected).toBe(true);
    expect(correctionMs).toBeGreaterThan(670);
  });

  it('is found again after a clock was set', () => {
    fc.assert(
      fc.property(anyOffset, exchanges, fc.integer({ min: -1e9, max: 1e9 }), exchanges, (trueMs, before, setMs, after) => {
        const offset = new ClockOffset();
        exchangeAll(offset, trueMs, before, () => undefined);
        const steps = [...after, ...Array.from({ length: 200 }, () => ({ pauseMs: 9, outMs: 1, backMs: 1, drift: 0 }))];
        exchangeAll(
          offset,
          setMs,
          steps.map((step) => ({ ...step, drift: 0 })),
          () => undefined,
        );
        const { offsetMs = Number.NaN, errorMs = Number.NaN } = offset.estimate() ?? {};
        // A clock that was set by less than the replies can tell may be off by that.
        if (Math.abs(setMs - trueMs) > 2_500) expect(Math.abs(setMs - offsetMs)).toBeLessThanOrEqual(errorMs + 0.01);
      }),
    );
  });

  it('is not learned from a reply that came before its request, nor from one without a time', () => {
    const offset = new ClockOffset();

    offset.observe(START_MS + 9_000, START_MS, START_MS - 1);
    offset.observe(Number.NaN, START_MS, START_MS + 1);
    offset.observe(START_MS, Number.NaN, START_MS + 1);

    expect(offset.estimate()).toBeUndefined();
    expect(offset.correctionMs).toBe(0);
  });
});

describe('a corrected clock', () => {
  /** A reply that proves an offset of at least, or at most, the whole seconds that it says. */
  const prove = (offset: ClockOffset, offsetMs: number, nowMs: number) => offset.observe(nowMs + offsetMs, nowMs, nowMs);

  it('never goes backwards, whatever the replies say and however it is read', () => {
    const step = fc.record({
      passMs: fc.integer({ min: 0, max: 10_000 }),
      proveMs: fc.option(fc.integer({ min: -100_000, max: 100_000 })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let nowMs = START_MS;
        const offset = new ClockOffset();
        const corrected = new CorrectedClock({ nowMs: () => nowMs }, offset);
        const monotonic = new MonotonicClock(corrected);
        let [lastMs, lastUs] = [0, 0];
        for (const { passMs, proveMs } of steps) {
          nowMs += passMs;
          if (proveMs !== null) prove(offset, proveMs, nowMs);
          const [readMs, readUs] = [corrected.nowMs(), monotonic.nowUs()];
          expect(readMs).toBeGreaterThanOrEqual(lastMs);
          expect(readUs).toBeGreaterThanOrEqual(lastUs);
          [lastMs, lastUs] = [readMs, readUs];
        }
      }),
    );
  });

  it('is put forward at once', () => {
    const offset = new ClockOffset();
    const clock = new CorrectedClock({ nowMs: () => START_MS }, offset);
    expect(clock.nowMs()).toBe(START_MS);

    prove(offset, 5_000, START_MS);

    expect(clock.nowMs()).toBe(START_MS + 5_000);
  });

  it('that nobody has read yet begins with the right time', () => {
    const offset = new ClockOffset();
    prove(offset, -5_000, START_MS);

    expect(new CorrectedClock({ nowMs: () => START_MS }, offset).nowMs()).toBe(START_MS - 4_000);
  });

  it('that is ahead goes at half its speed until it is right', () => {
    let nowMs = START_MS;
    const offset = new ClockOffset();
    const clock = new CorrectedClock({ nowMs: () => nowMs }, offset);
    clock.nowMs();
    prove(offset, -5_000, nowMs);

    const readings = [0, 1_000, 4_000, 3_000, 1_000].map((passMs) => {
      nowMs += passMs;
      return clock.nowMs() - START_MS;
    });

    // The reply proves 4 seconds: those are lost over 8, and then time goes on as it should.
    expect(readings).toEqual([0, 500, 2_500, 4_000, 5_000]);
  });
});
