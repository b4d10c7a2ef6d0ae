import type { BucketState } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';

interface Entry {
  state: BucketState | undefined;
  /** When the request was sent whose reply held the state; undefined where this process has given something back since. */
  seenUs: number | undefined;
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
    return entry?.seenUs !== undefined && entry.seenUs > Math.max(sinceUs, this.#doubtedUs) ? entry.state : undefined;
  }

  /** Nothing that was seen up to now proves anything any more: an administrator has changed something. */
  doubtAll(nowUs: number): void {
    this.#doubtedUs = nowUs;
  }

  /** What was seen proves nothing any more: this process is giving back, or has lost a reply. */
  doubt(bucket: string): void {
    const entry = this.#entries.get(bucket);
    if (entry !== undefined) entry.seenUs = undefined;
  }

  busyShare(bucket: string, limit: string): number {
    return this.#entries.get(bucket)?.busyShares.get(limit) ?? FIRST_SHARE;
  }

  /** Notes the state that a reply held. Replies overtake one another: what is older than what is known changes nothing. */
  note(bucket: string, state: BucketState | undefined, sentUs: number): void {
    const entry = this.#entry(bucket);
    if (state !== undefined && entry.state !== undefined && state.seq < entry.state.seq) return;
    entry.state = state;
    entry.seenUs = sentUs;
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
      entry = { state: undefined, seenUs: undefined, busyShares: new Map() };
      this.#entries.set(bucket, entry);
    }
    return entry;
  }
}
