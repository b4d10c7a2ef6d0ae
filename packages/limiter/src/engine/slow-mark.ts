/** So many of the latest are remembered. */
const WINDOW = 256;
/** So many have to be known before anything is said: of fewer, the twentieth slowest of a hundred is a guess. */
const MIN_SAMPLES = 64;
/** After so many more it is reckoned anew. */
const RENEWED_EACH = 16;
const SHARE = 0.95;

/** Learns how long it takes until 95 of 100 of this process's latest requests are answered. */
export class SlowMark {
  readonly #tookMs: number[] = [];
  #noted = 0;
  #ms: number | undefined;

  note(tookMs: number): void {
    this.#tookMs[this.#noted % WINDOW] = tookMs;
    this.#noted += 1;
    if (this.#noted < MIN_SAMPLES || this.#noted % RENEWED_EACH !== 0) return;
    const sorted = [...this.#tookMs].sort((a, b) => a - b);
    this.#ms = sorted[Math.ceil(SHARE * sorted.length) - 1];
  }

  /** What is slow, in milliseconds; undefined as long as too little is known. */
  get ms(): number | undefined {
    return this.#ms;
  }
}
