import type { BucketState } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';

interface Entry {
  state: BucketState | undefined;
  /** When the request was sent whose reply held the state; undefined where that proves nothing. */
  seenUs: number | undefined;
  /** How many writes of this process that give something back are on their way. */
  returning: number;
  /** What was asked for up to then may not show a credit whose fate nobody knows. */
  doubtedUs: number;
  /** By limit: the share of times that it was found busy although it had not been seen for longer than its dead-band. */
  readonly busyShares: Map<string, number>;
}

const FIRST_SHARE = 0.3;
const LEARNING_RATE = 0.1;

/**
 * What this process has seen of buckets. It only guides guesses: whatever it says, the condition of the write decides.
 */
export class BucketKnowledge {
  readonly #entries: BoundedMap<Entry>;
  #doubtedUs = Number.NEGATIVE_INFINITY;

  constructor(maxBuckets: number) {
    this.#entries = new BoundedMap(maxBuckets);
  }

  /** The state that was seen last. */
  seen(bucket: string): BucketState | undefined {
    return this.#entries.get(bucket)?.state;
  }

  /** The state, if it was asked for after a moment, and this process has given nothing back since. */
  proof(bucket: string, sinceUs: number): BucketState | undefined {
    const entry = this.#entries.get(bucket);
    if (entry?.seenUs === undefined || entry.returning > 0) return undefined;
    return entry.seenUs > Math.max(sinceUs, this.#doubtedUs) ? entry.state : undefined;
  }

  /** Nothing that was seen up to now proves anything any more: an administrator has changed something. */
  doubtAll(nowUs: number): void {
    this.#doubtedUs = nowUs;
  }

  /**
   * This process is giving back. Until the answer is there nothing proves anything: replies that are still on their way may
   * show the bucket as it was before, or as it is after.
   */
  beginReturn(bucket: string): void {
    this.#entry(bucket).returning += 1;
  }

  /** The answer is there, and has been noted; or there is none, and what was asked for up to now may be out of date. */
  endReturn(bucket: string, isAnswered: boolean, nowUs: number): void {
    const entry = this.#entry(bucket);
    entry.returning = Math.max(0, entry.returning - 1);
    if (isAnswered) return;
    entry.seenUs = undefined;
    entry.doubtedUs = nowUs;
  }

  busyShare(bucket: string, limit: string): number {
    return this.#entries.get(bucket)?.busyShares.get(limit) ?? FIRST_SHARE;
  }

  /** Notes the state that a reply held. Replies overtake one another: what is older than what is known changes nothing. */
  note(bucket: string, state: BucketState | undefined, sentUs: number): void {
    const entry = this.#entry(bucket);
    if (state !== undefined && entry.state !== undefined && state.seq < entry.state.seq) return;
    entry.state = state;
    entry.seenUs = sentUs > entry.doubtedUs ? sentUs : undefined;
  }

  /** Notes whether a limit that was not seen for long turned out to be busy. */
  learn(bucket: string, limit: string, wasBusy: boolean): void {
    const { busyShares } = this.#entry(bucket);
    const share = busyShares.get(limit) ?? FIRST_SHARE;
    busyShares.set(limit, share + LEARNING_RATE * ((wasBusy ? 1 : 0) - share));
  }

  #entry(bucket: string): Entry {
    let entry = this.#entries.get(bucket);
    if (entry === undefined) {
      entry = { state: undefined, seenUs: undefined, returning: 0, doubtedUs: Number.NEGATIVE_INFINITY, busyShares: new Map() };
      this.#entries.set(bucket, entry);
    }
    return entry;
  }
}
