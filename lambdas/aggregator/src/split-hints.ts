import {
  ATTRIBUTE,
  type BucketRef,
  bucketName,
  checkInteger,
  FIRST_LAYOUT,
  MAX_SHARDS,
  numberAt,
  type SplitHint,
  shardCount,
} from '@millrace/core';
import type { Entry } from './batch.js';
import type { Metrics } from './ports.js';
import { sideBySide } from './turns.js';

/** An item of a bucket that is written to more often than one of DynamoDB's partitions carries for long. */
export interface HotItem extends SplitHint {
  readonly ref: BucketRef;
}

/** Where hints go: to the items themselves. */
export interface HintStore {
  /** Leaves a hint, unless the item has changed since. It may be left any number of times. */
  hint(item: HotItem): Promise<void>;
}

/** What hints are made of. */
export interface SplitHintParts {
  readonly store: HintStore;
  /** Writes a second of one item from which on it is hot, 1 to 1,000. @default 800, where clients split what they see themselves */
  readonly fromPerSec?: number;
  readonly atOnce?: number;
}

/** What is known of the writes of one item in one second. */
interface Track {
  readonly ref: BucketRef;
  readonly layout: number;
  readonly atSec: number;
  fromSeq: number;
  toSeq: number;
}

/** So many items are remembered from one batch to the next; beyond that all are forgotten, which costs a hint or two. */
const MOST_ITEMS = 10_000;

/**
 * Hints at splits. Each client sees how often an item is written to by its own replies; where very many clients share one
 * that each of them rarely writes to, none sees it, and the stream does. A batch is cut anywhere, and one that holds a thousand records
 * holds no whole second of an item that is written to so often: so the last second of each item is remembered until the next batch.
 *
 * Nothing depends on a hint: it may be lost, late, or left by a function that has not heard of a split, and if it cannot be written
 * that is said, and the batch is done all the same.
 */
export class SplitHints {
  readonly #parts: Required<SplitHintParts>;
  /** The last second of each item. */
  readonly #seen = new Map<string, Track>();

  constructor({ store, fromPerSec = 800, atOnce = 50 }: SplitHintParts) {
    this.#parts = { store, fromPerSec: checkInteger('split hint threshold', fromPerSec, 1, 1_000), atOnce };
  }

  /** Leaves hints on the items that a batch, and what came before it, show to be hot; tells how many are. */
  async look(entries: readonly Entry[], mayBegin: () => boolean, metrics: Metrics): Promise<number> {
    const hot = this.#hotItems(entries);
    const endings = await sideBySide(
      hot.map((item) => () => this.#parts.store.hint(item)),
      this.#parts.atOnce,
      mayBegin,
    );
    const failed = endings.find((ending) => ending.kind === 'failed');
    if (failed?.kind === 'failed') {
      const message = failed.error instanceof Error ? failed.error.message : String(failed.error);
      metrics.trouble({ what: 'hint', message, records: 0 });
    }
    return hot.length;
  }

  /**
   * Items that were written to so often within one second. Records tell whole seconds, and each item numbers its writes, so neither a
   * record that comes twice nor one that is missing makes it more than it was.
   */
  #hotItems(entries: readonly Entry[]): readonly HotItem[] {
    const hot = new Map<string, HotItem>();
    for (const [name, { ref, layout, atSec, fromSeq, toSeq }] of this.#tracksOf(entries)) {
      if (toSeq - fromSeq < this.#parts.fromPerSec || 2 * shardCount(layout) > MAX_SHARDS) continue;
      if (atSec >= (hot.get(name)?.atSec ?? 0)) hot.set(name, { ref, layout, atSec });
    }
    return [...hot.values()];
  }

  /** The seconds in which the items of a batch were written to, by item, with what was known of them before. */
  #tracksOf(entries: readonly Entry[]): readonly (readonly [string, Track])[] {
    const tracks = new Map<string, readonly [string, Track]>();
    for (const { record, step } of entries) {
      // A meter is no bucket: there is nothing to split.
      if (record?.newImage === undefined || step === undefined || step.source === 'events') continue;
      const layout = numberAt(record.newImage, ATTRIBUTE.layout) ?? FIRST_LAYOUT;
      const atSec = Math.floor(step.atMs / 1_000);
      const item = `${bucketName(step.ref)} ${step.eraUs} ${layout}`;
      const name = `${item} ${atSec}`;
      const track = tracks.get(name)?.[1] ??
        this.#known(item, atSec) ?? { ref: step.ref, layout, atSec, fromSeq: step.seq.from, toSeq: step.seq.to };
      track.fromSeq = Math.min(track.fromSeq, step.seq.from);
      track.toSeq = Math.max(track.toSeq, step.seq.to);
      tracks.set(name, [item, track]);
    }
    for (const [item, track] of tracks.values()) this.#remember(item, track);
    return [...tracks.values()];
  }

  #known(item: string, atSec: number): Track | undefined {
    const known = this.#seen.get(item);
    return known?.atSec === atSec ? known : undefined;
  }

  #remember(item: string, track: Track): void {
    const known = this.#seen.get(item);
    if (known !== undefined && known.atSec > track.atSec) return;
    if (known === undefined && this.#seen.size >= MOST_ITEMS) this.#seen.clear();
    this.#seen.set(item, track);
  }
}
