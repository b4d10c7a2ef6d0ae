import { randomUUID } from 'node:crypto';
import type { BucketRef, BucketState, BucketStore, BucketWrite, Move, WriteOutcome } from '@millrace/core';
import { expect } from 'vitest';

/** The time of a write that says no other: 15 January 2027. */
export const NOW_US = 1_800_000_000_000_000;
export const TTL_SEC = NOW_US / 1_000_000 + 86_400;

/** What of a write a test may want otherwise. */
export type WriteDetails = Partial<Omit<BucketWrite, 'ref' | 'moves'>>;

/** Names a bucket that no other test writes to. */
export function freshRef(): BucketRef {
  return { namespaceId: randomUUID().slice(0, 12), entity: 'entity', resource: 'resource', shard: 0 };
}

/** A bucket for one test. */
export class ScratchBucket {
  readonly ref: BucketRef;
  readonly #store: BucketStore;

  constructor(store: BucketStore, ref: BucketRef = freshRef()) {
    this.#store = store;
    this.ref = ref;
  }

  write(moves: readonly Move[], details: WriteDetails = {}): Promise<WriteOutcome> {
    return this.#store.write({ ref: this.ref, nowUs: NOW_US, ttlSec: TTL_SEC, ...details, moves });
  }

  read(): Promise<BucketState | undefined> {
    return this.#store.read(this.ref);
  }

  /** Writes, and expects that it lands and that a read then gives the state it answered with. */
  async written(moves: readonly Move[], details: WriteDetails = {}): Promise<BucketState> {
    const outcome = await this.write(moves, details);
    expect(outcome.kind).toBe('written');
    expect(await this.read()).toEqual(outcome.state);
    return outcome.state as BucketState;
  }

  /** Writes, and expects that it is refused, answers with the state that refused it, and changes nothing. */
  async refused(moves: readonly Move[], details: WriteDetails = {}): Promise<BucketState | undefined> {
    const old = await this.read();
    const outcome = await this.write(moves, details);
    expect(outcome).toEqual({ kind: 'refused', state: old });
    expect(await this.read()).toEqual(old);
    return outcome.state;
  }

  /** Brings limits to these arrival times. */
  async startAt(tatUs: Readonly<Record<string, number>>): Promise<BucketState> {
    let state: BucketState | undefined;
    for (const [limit, target] of Object.entries(tatUs)) {
      state = await this.written([{ form: 'idle', limit, tokens: 1, chargeUs: 1, toUs: target - 1 }], { nowUs: target - 1 });
    }
    if (state === undefined) throw new Error('startAt needs a limit');
    return state;
  }
}
