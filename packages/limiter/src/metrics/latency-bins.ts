import type { Distribution } from '@millrace/core';

const LEAST_MS = 0.1;
/** Each bin is 15 % wider than the one below it, so that a value is told to 7 %. */
const GROWTH = 1.15;
/** Up to 77 s; CloudWatch takes at most 100 values at once. */
const BINS = 98;
const PER_BIN = 1 / Math.log(GROWTH);
/** What stands for a bin: the middle, in ratios, to three digits. */
const MIDDLES = Array.from({ length: BINS }, (_, bin) => Number((LEAST_MS * GROWTH ** (bin + 0.5)).toPrecision(3)));

/** How long things took, in bins of equal ratio: each is one more in a bin, and what is kept does not grow. */
export class LatencyBins {
  readonly #counts = new Uint32Array(BINS);

  add(tookMs: number): void {
    const bin = tookMs > LEAST_MS ? Math.min(BINS - 1, Math.floor(Math.log(tookMs / LEAST_MS) * PER_BIN)) : 0;
    this.#counts[bin] = (this.#counts[bin] ?? 0) + 1;
  }

  /** Adds what another one has counted. */
  merge(other: LatencyBins): void {
    other.#counts.forEach((count, bin) => {
      this.#counts[bin] = (this.#counts[bin] ?? 0) + count;
    });
  }

  /** What was counted; undefined where nothing was. */
  distribution(): Distribution | undefined {
    const used = MIDDLES.flatMap((value, bin) => {
      const count = this.#counts[bin] ?? 0;
      return count === 0 ? [] : [{ value, count }];
    });
    if (used.length === 0) return undefined;
    return { values: used.map(({ value }) => value), counts: used.map(({ count }) => count) };
  }
}
