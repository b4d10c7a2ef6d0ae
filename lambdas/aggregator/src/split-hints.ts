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

/** What a batch tells of one item. */
interface Track {
  readonly ref: BucketRef;
  fromSeq: number;
  toSeq: number;
  fromMs: number;
  toMs: number;
  layout: number;
}

/**
 * Hints at splits. Each client sees how often an item is written to by its own replies; where very many clients share one
 * that each of them rarely writes to, none sees it, and the stream does. Nothing depends on a hint: it may be lost, late, or
 * left by a function that has not heard of a split, and if it cannot be written that is said, and the batch is done all the same.
 */
export class SplitHints {
  readonly #parts: Required<SplitHintParts>;

  constructor({ store, fromPerSec = 800, atOnce = 50 }: SplitHintParts) {
    this.#parts = { store, fromPerSec: checkInteger('split hint threshold', fromPerSec, 1, 1_000), atOnce };
  }

  /** Leaves hints on the hot items of a batch; tells how many are hot. */
  async look(entries: readonly Entry[], mayBegin: () => boolean, metrics: Metrics): Promise<number> {
    const hot = hotItems(entries, this.#parts.fromPerSec);
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
}

/**
 * The items that a batch shows to be hot. Records tell whole seconds, so what was written from one second to another took
 * at most as long as to the end of the last one: the rate is never taken for higher than it was.
 */
function hotItems(entries: readonly Entry[], fromPerSec: number): readonly HotItem[] {
  const tracks = new Map<string, Track>();
  for (const { record, step } of entries) {
    // A meter is no bucket: there is nothing to split.
    if (record?.newImage === undefined || step === undefined || step.source === 'events') continue;
    const layout = numberAt(record.newImage, ATTRIBUTE.layout) ?? FIRST_LAYOUT;
    const name = `${bucketName(step.ref)} ${step.eraUs} ${layout}`;
    const track = tracks.get(name) ?? {
      ref: step.ref,
      fromSeq: step.seq.from,
      toSeq: step.seq.to,
      fromMs: step.atMs,
      toMs: step.atMs,
      layout,
    };
    track.fromSeq = Math.min(track.fromSeq, step.seq.from);
    track.toSeq = Math.max(track.toSeq, step.seq.to);
    track.fromMs = Math.min(track.fromMs, step.atMs);
    track.toMs = Math.max(track.toMs, step.atMs);
    tracks.set(name, track);
  }
  return [...tracks.values()].flatMap(({ ref, fromSeq, toSeq, fromMs, toMs, layout }) => {
    const perSec = (toSeq - fromSeq) / ((toMs - fromMs) / 1_000 + 1);
    if (perSec < fromPerSec || 2 * shardCount(layout) > MAX_SHARDS) return [];
    return [{ ref, layout, atSec: Math.floor(toMs / 1_000) }];
  });
}
