import { type Random, REQUEST_SLOTS, type RequestId } from '@millrace/core';

const IDS = Number.MAX_SAFE_INTEGER;
const NONE: readonly number[] = new Array<number>(REQUEST_SLOTS).fill(0);

/**
 * Names for a process's requests: numbers that begin somewhere and count on. Two processes would have to begin within a
 * few numbers of 2^53 of one another, and share a slot, to be taken for each other.
 *
 * A process uses one slot of every bucket, and another one only while a request of its own is on its way to that bucket in
 * the first: it must not make the bucket forget what it may have to ask about. Where all slots are in use, the last is
 * shared.
 */
export class RequestIds {
  readonly #slot: number;
  #last: number;
  /** By bucket, how many requests are on their way in each slot, counted from the process's own; none where there are none. */
  readonly #onTheWay = new Map<string, number[]>();

  constructor(random: Random) {
    this.#slot = Math.floor(random() * REQUEST_SLOTS);
    this.#last = Math.floor(random() * IDS);
  }

  /** A name for a request of a bucket. Its slot is in use until `release`. */
  take(bucket: string): RequestId {
    this.#last = (this.#last + 1) % IDS;
    const free = this.#onTheWay.get(bucket)?.indexOf(0) ?? 0;
    const slot = (this.#slot + (free === -1 ? REQUEST_SLOTS - 1 : free)) % REQUEST_SLOTS;
    this.hold(bucket, slot);
    return { slot, id: this.#last };
  }

  /** Keeps a slot in use for as long as a copy of its request may still arrive. Each hold ends by a `release`. */
  hold(bucket: string, slot: number): void {
    const index = this.#index(slot);
    const counts = this.#onTheWay.get(bucket);
    if (counts !== undefined) {
      counts[index] = (counts[index] ?? 0) + 1;
      return;
    }
    const first = NONE.slice();
    first[index] = 1;
    this.#onTheWay.set(bucket, first);
  }

  release(bucket: string, slot: number): void {
    const counts = this.#onTheWay.get(bucket);
    if (counts === undefined) return;
    const index = this.#index(slot);
    counts[index] = Math.max(0, (counts[index] ?? 0) - 1);
    for (let other = 0; other < REQUEST_SLOTS; other += 1) if (counts[other] !== 0) return;
    this.#onTheWay.delete(bucket);
  }

  /** True of the slot that several requests of this process may use at once, so that one makes the bucket forget another. */
  mayBeShared(slot: number): boolean {
    return this.#index(slot) === REQUEST_SLOTS - 1;
  }

  #index(slot: number): number {
    return (slot - this.#slot + REQUEST_SLOTS) % REQUEST_SLOTS;
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
  readonly #ids: RequestIds;
  readonly #bucket: string;

  constructor(ids: RequestIds, bucket: string) {
    this.#ids = ids;
    this.#bucket = bucket;
    this.request = ids.take(bucket);
  }

  /** Nothing more is sent for it. */
  end(): void {
    this.#ids.release(this.#bucket, this.request.slot);
  }
}
