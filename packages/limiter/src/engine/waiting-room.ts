import type { AbortSignalLike, Sleep } from '@millrace/core';
import { Ending } from './ending.js';

/** How a wait ended: its time was over, its caller left, or the limiter is being closed. */
export type WaitEnd = 'over' | 'aborted' | 'closed';

/** A timer of more than 2^31 milliseconds fires at once in Node, so that a long wait is several. */
const LONGEST_SLEEP_MS = 2 ** 30;

/** Where callers wait whose turn has not come yet. Their places are in the table; here is only their time. */
export class WaitingRoom {
  readonly #sleep: Sleep;
  readonly #maxWaiters: number;
  readonly #waiters = new Set<Ending<WaitEnd>>();
  #seats = 0;
  #isClosed = false;

  constructor(sleep: Sleep, maxWaiters: number) {
    this.#sleep = sleep;
    this.#maxWaiters = maxWaiters;
  }

  /** Takes a seat, before anything is sent for it: false where all are taken. Who has one gives it back by `leave`. */
  enter(): boolean {
    if (this.#isClosed || this.#seats >= this.#maxWaiters) return false;
    this.#seats += 1;
    return true;
  }

  leave(): void {
    this.#seats -= 1;
  }

  async wait(ms: number, signal: AbortSignalLike | undefined): Promise<WaitEnd> {
    const ending = new Ending<WaitEnd>();
    const leave = (): void => ending.end('aborted');
    this.#waiters.add(ending);
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted === true) leave();
    if (this.#isClosed) ending.end('closed');
    try {
      for (let leftMs = ms; leftMs > 0 && !ending.aborted; leftMs -= LONGEST_SLEEP_MS) {
        await this.#sleep(Math.min(leftMs, LONGEST_SLEEP_MS), ending);
      }
      return ending.how ?? 'over';
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#waiters.delete(ending);
    }
  }

  /** Ends all waits, and lets nobody in any more. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.end('closed');
  }
}
