import { percentile } from './percentile.js';

const CAPACITY = 1 << 15;

/**
 * An even sample of durations in bounded memory. All are kept until there are too many; then every second one is dropped
 * and only every second one is added from there on, and so on: a run of two million calls keeps 32,768 of them at most.
 */
export class LatencySample {
  readonly #valuesMs = new Float64Array(CAPACITY);
  #count = 0;
  #stride = 1;
  #skipped = 0;

  add(durationMs: number): void {
    this.#skipped += 1;
    if (this.#skipped < this.#stride) return;
    this.#skipped = 0;
    if (this.#count === CAPACITY) this.#thin();
    this.#valuesMs[this.#count] = durationMs;
    this.#count += 1;
  }

  /** The 50th and the 99th percentile, in milliseconds. */
  percentiles(): { readonly p50Ms: number; readonly p99Ms: number } {
    const sorted = this.#valuesMs.slice(0, this.#count).sort();
    return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
  }

  #thin(): void {
    for (let index = 0; index * 2 < CAPACITY; index += 1) this.#valuesMs[index] = this.#valuesMs[index * 2] as number;
    this.#count = CAPACITY / 2;
    this.#stride *= 2;
  }
}
