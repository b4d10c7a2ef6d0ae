import { type Random, REQUEST_SLOTS, type RequestId } from '@millrace/core';

const IDS = Number.MAX_SAFE_INTEGER;

/**
 * Names for a process's requests: numbers that begin somewhere and count on, all in one slot of every bucket. Two
 * processes would have to begin within a few numbers of 2^53 of one another, and share a slot, to be taken for each other.
 */
export class RequestIds {
  readonly #slot: number;
  #last: number;

  constructor(random: Random) {
    this.#slot = Math.floor(random() * REQUEST_SLOTS);
    this.#last = Math.floor(random() * IDS);
  }

  next(): RequestId {
    this.#last = (this.#last + 1) % IDS;
    return { slot: this.#slot, id: this.#last };
  }
}

/**
 * A debit that counts once, however often it is sent. It remembers what it has sent and not heard of, because the bucket
 * may turn out to have done that.
 */
export class Debit<Prepared> {
  readonly request: RequestId;
  /** The first of its writes whose reply was lost. */
  lost: Prepared | undefined;

  constructor(ids: RequestIds) {
    this.request = ids.next();
  }
}
