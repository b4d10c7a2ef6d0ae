import type { Level } from './level.js';

/** How much is asked of one bucket: a moving sum that forgets with time. */
export class Demand {
  readonly #memoryMs: number;
  readonly #tokens = new Map<string, number>();
  #acquires = 0;
  #atMs = Number.NEGATIVE_INFINITY;

  /** What was asked so long ago counts for 1/e of what is asked now. */
  constructor(memoryMs: number) {
    this.#memoryMs = memoryMs;
  }

  add(debits: Level['debits'], nowMs: number): void {
    this.#forget(nowMs);
    this.#acquires += 1;
    for (const { limit, tokens } of debits) this.#tokens.set(limit.name, (this.#tokens.get(limit.name) ?? 0) + tokens);
  }

  /** How many acquires are to be expected in a time to come, from the rate of the last ones. */
  acquiresIn(ms: number, nowMs: number): number {
    this.#forget(nowMs);
    return (this.#acquires * ms) / this.#memoryMs;
  }

  /** What an acquire asks of a limit, on average; 0 where none has for long. */
  meanOf(limit: string): number {
    return this.#acquires === 0 ? 0 : (this.#tokens.get(limit) ?? 0) / this.#acquires;
  }

  #forget(nowMs: number): void {
    const share = Math.exp(-Math.max(0, nowMs - this.#atMs) / this.#memoryMs);
    this.#acquires *= share;
    for (const [limit, tokens] of this.#tokens) this.#tokens.set(limit, tokens * share);
    this.#atMs = Math.max(this.#atMs, nowMs);
  }
}
