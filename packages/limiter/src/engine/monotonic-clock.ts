import type { Clock } from '@millrace/core';

/** The engine's time, in whole microseconds. It never goes backwards: time that does would mint tokens. */
export class MonotonicClock {
  readonly #clock: Clock;
  #lastUs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowUs(): number {
    this.#lastUs = Math.max(this.#lastUs, Math.floor(this.#clock.nowMs() * 1000));
    return this.#lastUs;
  }

  nowMs(): number {
    return this.nowUs() / 1000;
  }
}
