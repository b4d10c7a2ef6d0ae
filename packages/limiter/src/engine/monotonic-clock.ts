import { type Clock, ValidationError } from '@millrace/core';

/** The engine's time, in whole microseconds. It never goes backwards: time that does would mint tokens. */
export class MonotonicClock {
  readonly #clock: Clock;
  #lastUs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowUs(): number {
    const nowMs = this.#clock.nowMs();
    if (!Number.isFinite(nowMs)) throw new ValidationError('time of the clock', 'milliseconds since the epoch', nowMs);
    const nowUs = Math.floor(nowMs * 1000);
    if (nowUs > this.#lastUs) this.#lastUs = nowUs;
    return this.#lastUs;
  }

  nowMs(): number {
    return this.nowUs() / 1000;
  }
}
