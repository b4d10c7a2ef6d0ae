import type { Level } from './level.js';

/** What there is of one limit: tokens, and the time that they were charged with. */
export interface Tokens {
  readonly limit: string;
  readonly tokens: number;
  readonly chargedUs: number;
}

/**
 * Tokens that one write has taken ahead of those who will ask for them, until they are spent or their time is over.
 *
 * It counts tokens and time, since a debit is rounded up: ten requests for one token are charged more than one for ten,
 * and each may later give back what it was charged. What leaves a chunk, and what is left at its end, is never more than
 * what was taken for it, in either.
 */
export class Chunk {
  /** What it was taken from. */
  readonly level: Level;
  /** Until when it may serve. */
  readonly untilMs: number;
  readonly #left = new Map<string, { tokens: number; chargedUs: number }>();
  #isOpen = true;

  constructor(level: Level, untilMs: number) {
    this.level = level;
    this.untilMs = untilMs;
    for (const { limit, tokens, chargeUs } of level.debits) this.#left.set(limit.name, { tokens, chargedUs: chargeUs });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isSpent(): boolean {
    for (const { tokens } of this.#left.values()) if (tokens > 0) return false;
    return true;
  }

  left(limit: string): Tokens {
    const { tokens, chargedUs } = (this.#isOpen ? this.#left.get(limit) : undefined) ?? { tokens: 0, chargedUs: 0 };
    return { limit, tokens, chargedUs };
  }

  /** Takes out as much as there is of what is wanted, and says how much that was. */
  withdraw(wanted: Tokens): Tokens {
    const left = this.left(wanted.limit);
    const part = {
      limit: wanted.limit,
      tokens: Math.min(left.tokens, wanted.tokens),
      chargedUs: Math.min(left.chargedUs, wanted.chargedUs),
    };
    this.#add(part, -1);
    return part;
  }

  /** Puts back what was taken out of it. False once it is closed: then nobody would use it, and nobody give it back. */
  putBack(part: Tokens): boolean {
    if (this.#isOpen) this.#add(part, 1);
    return this.#isOpen;
  }

  /** Ends it, and hands out what is left, which is nothing the second time. */
  close(): readonly Tokens[] {
    const left = [...this.#left.keys()].map((limit) => this.left(limit)).filter(({ tokens }) => tokens > 0);
    this.#isOpen = false;
    return left;
  }

  #add({ limit, tokens, chargedUs }: Tokens, sign: 1 | -1): void {
    const left = this.#left.get(limit);
    if (left === undefined) return;
    left.tokens += sign * tokens;
    left.chargedUs += sign * chargedUs;
  }
}
