import { type BucketState, creditUs } from '@millrace/core';
import type { Chunk, Tokens } from './chunk.js';
import type { Level } from './level.js';

/** What was taken out of chunks for one request. */
export interface Withdrawal {
  readonly parts: readonly { readonly chunk: Chunk; readonly part: Tokens }[];
  /** What the chunks did not have; no debits where they had it all. */
  readonly missing: Level['debits'];
}

/** The chunks of one bucket, the oldest first: that is the order in which they are spent. */
export class Stock {
  #chunks: readonly Chunk[] = [];

  get chunks(): readonly Chunk[] {
    return this.#chunks;
  }

  add(chunk: Chunk): void {
    this.#chunks = [...this.#chunks, chunk];
  }

  /** Takes those out that serve nobody any more: spent, or their time is over. The caller closes them. */
  removeEnded(nowMs: number): readonly Chunk[] {
    if (this.#chunks.every((chunk) => isLive(chunk, nowMs))) return NONE;
    const ended = this.#chunks.filter((chunk) => !isLive(chunk, nowMs));
    this.#chunks = this.#chunks.filter((chunk) => isLive(chunk, nowMs));
    return ended;
  }

  removeAll(): readonly Chunk[] {
    const all = this.#chunks;
    this.#chunks = [];
    return all;
  }

  held(limit: string): Tokens {
    let [tokens, chargedUs] = [0, 0];
    for (const chunk of this.#chunks) {
      const left = chunk.left(limit);
      tokens += left.tokens;
      chargedUs += left.chargedUs;
    }
    return { limit, tokens, chargedUs };
  }

  /** Whether it has all that is asked for, and what that is charged with. */
  covers(debits: Level['debits']): boolean {
    if (this.#chunks.length === 0) return false;
    return debits.every((debit) => {
      const { tokens, chargedUs } = this.held(debit.limit.name);
      return tokens >= debit.tokens && chargedUs >= debit.chargeUs;
    });
  }

  /** Takes out what there is of what is asked for. */
  withdraw(debits: Level['debits']): Withdrawal {
    const parts: { chunk: Chunk; part: Tokens }[] = [];
    const missing = debits.flatMap((debit) => {
      const wanted = this.#wanted(debit);
      let { tokens, chargedUs } = wanted;
      for (const chunk of this.#chunks) {
        if (tokens === 0 && chargedUs === 0) break;
        const part = chunk.withdraw({ limit: wanted.limit, tokens, chargedUs });
        parts.push({ chunk, part });
        tokens -= part.tokens;
        chargedUs -= part.chargedUs;
      }
      if (wanted.tokens === debit.tokens) return [];
      return [{ ...debit, tokens: debit.tokens - wanted.tokens, chargeUs: debit.chargeUs - wanted.chargedUs }];
    });
    return { parts, missing };
  }

  /** A state of the bucket in which what is held here has not been taken. */
  ownView(level: Level, state: BucketState): BucketState {
    if (this.#chunks.length === 0) return state;
    const limits = new Map(state.limits);
    for (const { name } of level.limits) {
      const [found, { chargedUs }] = [limits.get(name), this.held(name)];
      if (found !== undefined && chargedUs > 0) limits.set(name, { ...found, tatUs: found.tatUs - chargedUs });
    }
    return { ...state, limits };
  }

  /** What a request can have. Tokens whose time was eaten up by rounding are short of one, which is asked for with it. */
  #wanted({ limit, timing, tokens, chargeUs }: Level['debits'][number]): Tokens {
    const held = this.held(limit.name);
    if (held.tokens >= tokens && held.chargedUs >= chargeUs) return { limit: limit.name, tokens, chargedUs: chargeUs };
    const part = Math.min(held.tokens, tokens - 1);
    return { limit: limit.name, tokens: part, chargedUs: Math.min(held.chargedUs, creditUs(timing, part)) };
  }
}

const NONE: readonly Chunk[] = [];

function isLive(chunk: Chunk, nowMs: number): boolean {
  return chunk.isOpen && !chunk.isSpent && nowMs < chunk.untilMs;
}
