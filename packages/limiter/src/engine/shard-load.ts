import { type Layout, MAX_SHARDS, mostShards, type SplitHint, shardCount } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';
import type { Layouts } from './layouts.js';
import type { Level } from './level.js';
import type { Reshaper } from './reshaper.js';
import { shardName } from './shard-level.js';
import type { TakeParts, TakeResult } from './take.js';
import { WriteRates } from './write-rate.js';

/** When a bucket is spread over more items, or fewer. */
export interface ShardingOptions {
  /** The most items of a bucket; 1 never spreads one. */
  readonly maxShards: number;
  /** A partition of DynamoDB carries 1,000 write units a second. An item that is written to more often than this is split. */
  readonly splitPerSec: number;
  /** Two items that are written to less often than this together are merged. Far below the other, so that it does not go to and fro. */
  readonly mergePerSec: number;
  /** How long a layout stays before the next merge. */
  readonly settleMs: number;
}

export const SHARDING: ShardingOptions = { maxShards: MAX_SHARDS, splitPerSec: 800, mergePerSec: 300, settleMs: 300_000 };

/** For so many windows in a row an item has to be busy before it is split: a burst is none of its business. */
const BUSY_WINDOWS = 2;
/** A split shows in the writes only after a while; what comes before that is the old load. */
const REST_US = 5_000_000;
const CHECK_US = 60_000_000;
/** For so long a hint is believed. */
const HINT_US = 60_000_000;

/** When an item was last looked at, and what its counters of writes were then. */
interface Check {
  readonly layout: number;
  readonly atUs: number;
  readonly seqs: readonly number[];
}

export interface LoadParts extends TakeParts {
  readonly track: <T>(work: Promise<T>) => Promise<T>;
}

/** Whether somebody who sees all writes has just said that an item is too hot as it is spread now: many clients that write rarely cannot. */
function isHintOf({ layout }: Level, hint: SplitHint | undefined, nowUs: number): boolean {
  return hint !== undefined && hint.layout === layout && Math.abs(nowUs - hint.atSec * 1_000_000) <= HINT_US;
}

/**
 * Watches how often a bucket's items are written to, and lets it be spread over more or fewer. Three things say that it
 * is too hot: DynamoDB itself, when it throttles a key, the write numbers in its replies, and a hint of the aggregator, if there is one.
 */
export class ShardLoad {
  readonly #parts: LoadParts;
  readonly #layouts: Layouts;
  readonly #reshaper: Reshaper;
  readonly #options: ShardingOptions;
  readonly #rates: WriteRates;
  readonly #checks: BoundedMap<Check>;
  readonly #busy = new Set<string>();

  constructor(
    parts: LoadParts,
    { layouts, reshaper }: { readonly layouts: Layouts; readonly reshaper: Reshaper },
    maxBuckets: number,
    options: ShardingOptions,
  ) {
    this.#parts = parts;
    this.#layouts = layouts;
    this.#reshaper = reshaper;
    this.#options = options;
    this.#rates = new WriteRates(maxBuckets, options.splitPerSec);
    this.#checks = new BoundedMap(maxBuckets);
  }

  /** Notes how a take from one item of a level's bucket ended. */
  note(level: Level, place: Level, result: TakeResult): void {
    const nowUs = this.#parts.clock.nowUs();
    const count = shardCount(place.layout);
    const isHot = this.#isHot(place, result, nowUs);
    if (isHot && 2 * count <= this.#most(level) && this.#isRested(level, nowUs, REST_US)) this.#split(level, place.layout);
    else if (count > 1 && !isHot && this.#isRested(level, nowUs, this.#options.settleMs * 1_000))
      this.#consider(level, place.layout, nowUs);
  }

  #most({ limits }: Level): number {
    return mostShards(
      limits.map(({ capacity }) => capacity),
      this.#options.maxShards,
    );
  }

  #isHot(place: Level, result: TakeResult, nowUs: number): boolean {
    if (this.#parts.hotItems.get(place.bucket) === true) {
      this.#parts.hotItems.delete(place.bucket);
      return true;
    }
    if ((result.kind !== 'taken' && result.kind !== 'exhausted') || result.state === undefined) return false;
    const { seq, hint } = result.state;
    return this.#rates.note(place.bucket, seq, nowUs) >= BUSY_WINDOWS || isHintOf(place, hint, nowUs);
  }

  #isRested({ bucket }: Level, nowUs: number, restUs: number): boolean {
    const sinceUs = this.#layouts.sinceUs(bucket);
    return sinceUs === undefined || nowUs - sinceUs >= restUs;
  }

  /** Looks at all items once in a while: two looks tell how often each is written to. What a dead process has left is finished. */
  #consider(level: Level, layout: number, nowUs: number): void {
    const last = this.#checks.get(level.bucket);
    if (this.#busy.has(level.bucket) || (last !== undefined && last.layout === layout && nowUs - last.atUs < CHECK_US)) return;
    this.#run(level, async () => {
      const count = shardCount(layout);
      const states = await this.#reshaper.finish(level, layout, this.#parts.newDeadlineMs());
      const seqs = states.map((state) => state?.seq ?? 0);
      this.#checks.set(level.bucket, { layout, atUs: nowUs, seqs });
      if (last === undefined || last.layout !== layout) return;
      const perSec = seqs.map((seq, shard) => ((seq - (last.seqs[shard] ?? seq)) * 1_000_000) / (nowUs - last.atUs));
      const half = count / 2;
      const pairs = perSec.slice(0, half).map((rate, shard) => rate + (perSec[shard + half] ?? 0));
      // A capacity that was cut may be too small for so many items, however hot they are.
      const isSpare = Math.max(...pairs) < this.#options.mergePerSec || count > this.#most(level);
      if (isSpare && (await this.#reshaper.merge(level, layout, this.#parts.newDeadlineMs()))) this.#changed(level, 'merges', count);
    });
  }

  #split(level: Level, layout: Layout): void {
    this.#run(level, async () => {
      if (await this.#reshaper.split(level, layout, this.#parts.newDeadlineMs())) this.#changed(level, 'splits', shardCount(layout));
    });
  }

  #changed(level: Level, counter: 'splits' | 'merges', count: number): void {
    this.#parts.stats.add(counter);
    for (let shard = 0; shard < count; shard += 1) this.#rates.restart(shardName(level, shard));
  }

  /** One at a time for each bucket, beside the callers. Whatever goes wrong is left to whoever comes next. */
  #run(level: Level, work: () => Promise<void>): void {
    if (this.#busy.has(level.bucket)) return;
    this.#busy.add(level.bucket);
    void this.#parts.track(
      work()
        .catch(() => undefined)
        .finally(() => this.#busy.delete(level.bucket)),
    );
  }
}
