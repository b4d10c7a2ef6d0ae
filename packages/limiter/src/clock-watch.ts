import type { Clock } from '@millrace/core';
import { ReplyTimes } from './dynamo/reply-times.js';
import { type ClockEstimate, ClockOffset, CorrectedClock } from './engine/index.js';

/** A clock that is held against the times that DynamoDB's replies say, and corrected by them. */
export class ClockWatch {
  /** The corrected clock. */
  readonly clock: Clock;
  /** What transports tell of replies. */
  readonly times: ReplyTimes;
  readonly #offset = new ClockOffset();
  #hasWarned = false;

  /** `warn` is called once, when a correction becomes necessary. */
  constructor(clock: Clock, warn: (message: string) => void) {
    this.clock = new CorrectedClock(clock, this.#offset);
    this.times = new ReplyTimes(
      () => clock.nowMs(),
      (serverMs, sentMs, receivedMs) => {
        this.#offset.observe(serverMs, sentMs, receivedMs);
        const { correctionMs } = this.#offset;
        if (correctionMs === 0 || this.#hasWarned) return;
        this.#hasWarned = true;
        warn(messageFor(correctionMs));
      },
    );
  }

  /** What is known of the clock; undefined before the first reply. */
  estimate(): ClockEstimate | undefined {
    return this.#offset.estimate();
  }
}

function messageFor(correctionMs: number): string {
  const off = `at least ${Math.round(Math.abs(correctionMs))} ms ${correctionMs > 0 ? 'behind' : 'ahead of'} DynamoDB's`;
  return `the clock of this machine is ${off}; limits are kept by DynamoDB's time. Check that the machine's time is synchronized`;
}
