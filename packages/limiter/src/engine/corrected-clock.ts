import type { Clock } from '@millrace/core';
import type { ClockOffset } from './clock-offset.js';

/** How much of the time that passes a clock that is ahead may lose. */
const SLOWING = 0.5;

/**
 * A clock with what the store's replies prove against it. One that is behind is put forward at once; one that is ahead
 * goes at half its speed until it is right, since time must not go backwards, and standing still would hold up everybody.
 */
export class CorrectedClock implements Clock {
  readonly #clock: Clock;
  readonly #offset: ClockOffset;
  #appliedMs = 0;
  #lastMs = Number.NaN;

  constructor(clock: Clock, offset: ClockOffset) {
    this.#clock = clock;
    this.#offset = offset;
  }

  nowMs(): number {
    const nowMs = this.#clock.nowMs();
    // Before the first reading there is no time that must not come again.
    const isFirst = Number.isNaN(this.#lastMs);
    const lostMs = isFirst ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - this.#lastMs) * SLOWING;
    this.#lastMs = nowMs;
    this.#appliedMs = Math.max(this.#offset.correctionMs, this.#appliedMs - lostMs);
    return nowMs + this.#appliedMs;
  }
}
