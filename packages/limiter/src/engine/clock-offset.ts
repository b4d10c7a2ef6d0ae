/** What the replies of the store say about a clock. */
export interface ClockEstimate {
  /** How far the store's clock is ahead of ours, in milliseconds: the middle of what the replies allow. */
  readonly offsetMs: number;
  /** How far off `offsetMs` may be, either way, in milliseconds. */
  readonly errorMs: number;
  /** Milliseconds that are added to our clock; 0 while it is not proved wrong by more than 250. */
  readonly correctionMs: number;
  readonly isCorrected: boolean;
}

/** A reply says the second that it was written in, cut off. */
const RESOLUTION_MS = 1_000;
/** Below that a clock is left as it is: one that is kept by NTP is better than what whole seconds can prove. */
const TOLERANCE_MS = 250;
/** How fast two clocks may drift apart: what a kernel's clock may be slewed by, in parts of one. */
const MAX_DRIFT = 500e-6;

/**
 * How far the store's clock is ahead of ours, from the times that its replies say. A reply that says the second D, to a
 * request sent at t0 and answered at t1 by our clock, was written between D and D + 1 s by the store's clock, and between
 * t0 and t1 by ours: so the offset is between D − t1 and D + 1 s − t0. Many replies together allow little more than a round
 * trip, since some are written at the turn of a second.
 *
 * What they allow widens with time, as clocks drift. A reply that contradicts all before it means that a clock was set:
 * it starts anew.
 */
export class ClockOffset {
  #lowMs = Number.NEGATIVE_INFINITY;
  #highMs = Number.POSITIVE_INFINITY;
  #atMs = 0;
  #correctionMs = 0;

  /** Takes a reply that says `dateMs` into account. One that came before it was sent, as our clock was set in between, is left out. */
  observe(dateMs: number, sentMs: number, receivedMs: number): void {
    const [lowMs, highMs] = [dateMs - receivedMs, dateMs + RESOLUTION_MS - sentMs];
    if (!(receivedMs >= sentMs) || !Number.isFinite(lowMs) || !Number.isFinite(highMs)) return;
    const driftMs = Math.max(0, receivedMs - this.#atMs) * MAX_DRIFT;
    this.#lowMs = Math.max(this.#lowMs - driftMs, lowMs);
    this.#highMs = Math.min(this.#highMs + driftMs, highMs);
    this.#atMs = receivedMs;
    if (this.#lowMs > this.#highMs) {
      [this.#lowMs, this.#highMs] = [lowMs, highMs];
      this.#correctionMs = 0;
    }
    this.#correct();
  }

  /** Milliseconds to add to our clock: no more than is proved. */
  get correctionMs(): number {
    return this.#correctionMs;
  }

  /** What is known; undefined before the first reply. */
  estimate(): ClockEstimate | undefined {
    if (this.#lowMs === Number.NEGATIVE_INFINITY) return undefined;
    return {
      offsetMs: (this.#lowMs + this.#highMs) / 2,
      errorMs: (this.#highMs - this.#lowMs) / 2,
      correctionMs: this.#correctionMs,
      isCorrected: this.#correctionMs !== 0,
    };
  }

  /** A correction goes on while the replies allow it, so that it does not come and go at the bound. */
  #correct(): void {
    const allowedMs = Math.min(Math.max(this.#correctionMs, this.#lowMs), this.#highMs);
    if (this.#correctionMs !== 0 || Math.abs(allowedMs) > TOLERANCE_MS) this.#correctionMs = allowedMs;
  }
}
