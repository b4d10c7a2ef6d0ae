import type { BucketState } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';

interface Entry {
  state: BucketState | undefined;
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

  constructor(maxBuckets: number) {
    this.#entries = new BoundedMap(maxBuckets);
  }

  /** The state that was seen last. */
  seen(bucket: string): BucketState | undefined {
    return this.#entries.get(bucket)?.state;
  }

  busyShare(bucket: string, limit: string): number {
    return this.#entries.get(bucket)?.busyShares.get(limit) ?? FIRST_SHARE;
  }

  /** Notes the state that a reply held. Replies overtake one another: what is older than what is known changes nothing. */
  note(bucket: string, state: BucketState | undefined): void {
    const entry = this.#entry(bucket);
    if (state === undefined || entry.state === undefined || state.seq >= entry.state.seq) entry.state = state;
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
      entry = { state: undefined, busyShares: new Map() };
      this.#entries.set(bucket, entry);
    }
    return entry;
  }
}
