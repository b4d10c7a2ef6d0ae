import { BoundedMap } from './bounded-map.js';

/** More local rejections of one bucket in a second than callers that wait for `retryAfterMs` could ever make. */
const SPINNING_PER_SEC = 1_000;
const SECOND_US = 1_000_000;

interface Window {
  readonly fromUs: number;
  count: number;
}

/**
 * Sees callers that ask again and again without waiting. A rejection that is proven here costs no request, so they do no
 * harm to the table; but a process that spins burns its own time, and its author will want to know.
 */
export class SpinWatch {
  readonly #windows: BoundedMap<Window>;

  constructor(maxBuckets: number) {
    this.#windows = new BoundedMap(maxBuckets);
  }

  /** Notes a local rejection. True once in each second in which a bucket's callers spin. */
  note(bucket: string, nowUs: number): boolean {
    const window = this.#windows.get(bucket);
    if (window === undefined || nowUs - window.fromUs >= SECOND_US) {
      this.#windows.set(bucket, { fromUs: nowUs, count: 1 });
      return false;
    }
    window.count += 1;
    return window.count === SPINNING_PER_SEC;
  }
}
