import { FIRST_LAYOUT, type Layout } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';

/** What is known of how a bucket is spread. */
interface Entry {
  readonly layout: Layout;
  /** Since when this process knows it. */
  readonly sinceUs: number;
}

/** Over how many items each bucket is spread, as far as this process has met it. Buckets are named by their first item. */
export class Layouts {
  readonly #entries: BoundedMap<Entry>;

  constructor(maxBuckets: number) {
    this.#entries = new BoundedMap(maxBuckets);
  }

  of(bucket: string): Layout {
    return this.#entries.get(bucket)?.layout ?? FIRST_LAYOUT;
  }

  /** Since when this process knows the layout; undefined where it has met none but the first. */
  sinceUs(bucket: string): number | undefined {
    return this.#entries.get(bucket)?.sinceUs;
  }

  /** Notes a layout that was met. A later decision is a larger number, so an item that lags behind teaches nothing. */
  note(bucket: string, layout: Layout, nowUs: number): void {
    if (layout > this.of(bucket)) this.#entries.set(bucket, { layout, sinceUs: nowUs });
  }

  /** The first item is gone, and with it what it said: the bucket begins anew. */
  forget(bucket: string): void {
    this.#entries.delete(bucket);
  }
}
