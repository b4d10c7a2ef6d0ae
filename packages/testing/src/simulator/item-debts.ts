import { type BucketState, layoutOf, shardCount } from '@millrace/core';
import type { Executed } from './history.js';

/**
 * What items of a spread bucket lack beyond their share of the capacity: places that callers have reserved, and what leases
 * have used beyond what they asked for. An item pays for its own alone; the others go on giving what they have (ADR 0019).
 */
export class ItemDebts {
  readonly #limit: string;
  readonly #items = new Map<number, BucketState>();

  constructor(limit: string) {
    this.#limit = limit;
  }

  note({ write, after, applied }: Executed): void {
    if (applied && after !== undefined) this.#items.set(write.ref.shard, after);
  }

  /** What of the tokens that a take seems to be too many is none of the other items' affair. */
  excess(tokens: number, { write, atUs }: Executed, capacity: number): number {
    return tokens <= 0 ? 0 : tokens - this.#besides(write.ref.shard, capacity, atUs);
  }

  /** The tokens that all items but one lack at a moment beyond their shares of a capacity. */
  #besides(shard: number, capacity: number, atUs: number): number {
    let tokens = 0;
    for (const [other, state] of this.#items) {
      if (other === shard) continue;
      const count = shardCount(layoutOf(state));
      const missing = (((state.limits.get(this.#limit)?.tatUs ?? 0) - atUs) * (scaledPerUs(state, this.#limit) ?? 0)) / count;
      // Of a split that is under way, the item that is not there yet will begin with the same.
      const items = state.seeds === undefined ? 1 : 2;
      tokens += items * Math.max(0, missing - capacity / count);
    }
    return tokens;
  }
}

/** The rate that an item's arrival time is written in (`period/refill`), in tokens a microsecond. */
export function scaledPerUs(state: BucketState | undefined, limit: string): number | undefined {
  const [periodUs, refill] = (state?.limits.get(limit)?.scale ?? '').split('/').map(Number);
  return periodUs === undefined || refill === undefined ? undefined : refill / periodUs;
}
