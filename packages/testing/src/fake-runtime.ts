import type { Clock, Random, Sleep } from '@millrace/core';

/** Clock, sleep and chance under a test's hand. Sleeping takes no time: it moves the clock on. */
export class FakeRuntime {
  #nowMs: number;
  #state: number;
  readonly clock: Clock = { nowMs: () => this.#nowMs };
  readonly sleep: Sleep = async (ms) => this.advance(ms);
  readonly random: Random = () => this.#nextRandom();

  constructor(options: { readonly nowMs?: number; readonly seed?: number } = {}) {
    this.#nowMs = options.nowMs ?? 1_800_000_000_000;
    this.#state = options.seed ?? 1;
  }

  /** Moves the clock on, or back if `ms` is below zero. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }

  #nextRandom(): number {
    // mulberry32: small, fast, and good enough to choose delays with.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
