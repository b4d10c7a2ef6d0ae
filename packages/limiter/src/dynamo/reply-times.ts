/** Told of the time that a reply says, and of when it was asked for and came, by the clock that is being watched. */
export type TimeListener = (serverMs: number, sentMs: number, receivedMs: number) => void;

/** Reads the times of replies. */
export class ReplyTimes {
  /** The time by the clock that is being watched. */
  readonly nowMs: () => number;
  readonly #listener: TimeListener;
  #lastDate = '';
  #lastMs = Number.NaN;

  constructor(nowMs: () => number, listener: TimeListener) {
    this.nowMs = nowMs;
    this.#listener = listener;
  }

  /** Tells of a reply; `date` is its header, whatever that is. Replies of the same second are read once. */
  note(date: unknown, sentMs: number, receivedMs: number): void {
    if (typeof date !== 'string') return;
    if (date !== this.#lastDate) [this.#lastDate, this.#lastMs] = [date, Date.parse(date)];
    if (!Number.isNaN(this.#lastMs)) this.#listener(this.#lastMs, sentMs, receivedMs);
  }
}
