import { type Layout, type LimitStatus, layoutOf, StoreFailure, shardCount } from '@millrace/core';
import type { Caller, LevelTaker } from './bucket-queue.js';
import { giveBackShares } from './give-back.js';
import { Layouts } from './layouts.js';
import type { Level } from './level.js';
import type { LevelTaken } from './level-result.js';
import { longestMs } from './longest.js';
import { Reshaper } from './reshaper.js';
import { ShardChoice } from './shard-choice.js';
import { fitsOneShard, onAllShards, onShard, statusOfDebit } from './shard-level.js';
import { type ShardingOptions, ShardLoad } from './shard-load.js';
import type { Moved, Refused, TakeParts, TakeResult } from './take.js';

export interface ShardParts extends TakeParts {
  /** Takes from one item. */
  readonly taker: LevelTaker;
  readonly track: <T>(work: Promise<T>) => Promise<T>;
}

/** How often a take follows a bucket to other items. */
const MAX_MOVES = 6;
/** How many other items are tried where one is exhausted. */
const MAX_OTHERS = 2;

/**
 * Takes from buckets that are spread over several items because one of DynamoDB's partitions does not carry them.
 *
 * A request goes to one item; where that is exhausted, to up to two others that are not known to be. One that is larger
 * than an item's share is charged to all of them, each its part, and so gets what an undivided bucket would give it.
 */
export class Shards {
  readonly #parts: ShardParts;
  readonly #layouts: Layouts;
  readonly #reshaper: Reshaper;
  readonly #choice: ShardChoice;
  readonly #load: ShardLoad;

  constructor(parts: ShardParts, maxBuckets: number, options: ShardingOptions) {
    this.#parts = parts;
    this.#layouts = new Layouts(maxBuckets);
    this.#reshaper = new Reshaper(parts, this.#layouts);
    this.#choice = new ShardChoice(parts, maxBuckets);
    this.#load = new ShardLoad(parts, { layouts: this.#layouts, reshaper: this.#reshaper }, maxBuckets, options);
  }

  /** Takes at a level, wherever its bucket is. */
  async take(level: Level, caller: Caller): Promise<LevelTaken | Refused> {
    try {
      for (let moves = 0; moves < MAX_MOVES; moves += 1) {
        const layout = this.#layouts.of(level.bucket);
        const only = this.onlyPlace(level);
        const result =
          only === undefined
            ? await this.#takeFromSeveral(level, layout, caller)
            : this.#noted(level, only, await this.#parts.taker.take(only, caller));
        if (result.kind !== 'moved') return result;
        this.#parts.stats.add('layoutMisses');
        await this.#follow(level, layout, result, caller.deadlineMs);
      }
      throw new StoreFailure('throttled', 'no', `the bucket of "${level.entity}" on "${level.resource}" moved ${MAX_MOVES} times in a row`);
    } catch (error) {
      return { kind: 'failed', level, error };
    }
  }

  /** The one item that a level's bucket is, as most are; undefined of one that is spread. */
  onlyPlace(level: Level): Level | undefined {
    const layout = this.#layouts.of(level.bucket);
    return shardCount(layout) === 1 ? onShard(level, 0, layout) : undefined;
  }

  /** The items that a request would be taken from: from any `one` of them, or from `all`. */
  places(level: Level): { readonly levels: readonly Level[]; readonly needs: 'one' | 'all' } {
    const only = this.onlyPlace(level);
    if (only !== undefined) return { levels: [only], needs: 'one' };
    const layout = this.#layouts.of(level.bucket);
    if (!fitsOneShard(level, layout)) return { levels: onAllShards(level, layout), needs: 'all' };
    return { levels: Array.from({ length: shardCount(layout) }, (_, shard) => onShard(level, shard, layout)), needs: 'one' };
  }

  /** Notes over how many items a bucket was found to be spread. */
  noteLayout(level: Level, layout: number | undefined): void {
    if (layout !== undefined) this.#layouts.note(level.bucket, layout, this.#parts.clock.nowUs());
  }

  #takeFromSeveral(level: Level, layout: number, caller: Caller): Promise<LevelTaken | Refused | Moved> {
    return fitsOneShard(level, layout) ? this.#takeFromOne(level, layout, caller) : this.#takeFromAll(level, layout, caller);
  }

  /** Notes how a take from one item ended, and says what that is for the level. */
  #noted(level: Level, place: Level, result: TakeResult): LevelTaken | Refused | Moved {
    this.#load.note(level, place, result);
    return result.kind === 'taken' ? { kind: 'taken', level, shares: [result], waitUs: result.waitUs } : result;
  }

  async #takeFromOne(level: Level, layout: number, caller: Caller): Promise<LevelTaken | Refused | Moved> {
    const tried = new Set<number>();
    let best: Extract<Refused, { kind: 'exhausted' }> | undefined;
    for (let others = 0; others <= MAX_OTHERS; others += 1) {
      const shard = this.#choice.next(level, layout, tried);
      if (shard === undefined) break;
      tried.add(shard);
      const place = onShard(level, shard, layout);
      const result = this.#noted(level, place, await this.#parts.taker.take(place, caller));
      if (result.kind !== 'exhausted') return result;
      if (best === undefined || waitMs(result) < waitMs(best)) best = result;
    }
    return best as Extract<Refused, { kind: 'exhausted' }>;
  }

  /** All or none: what some items gave is given back, once, where another refuses. */
  async #takeFromAll(level: Level, layout: number, caller: Caller): Promise<LevelTaken | Refused | Moved> {
    const places = onAllShards(level, layout);
    const results = await Promise.all(places.map((place) => this.#parts.taker.take(place, caller)));
    for (const [index, result] of results.entries()) this.#load.note(level, places[index] ?? level, result);
    const shares = results.filter((result) => result.kind === 'taken');
    if (shares.length === results.length) return { kind: 'taken', level, shares, waitUs: Math.max(...shares.map(({ waitUs }) => waitUs)) };
    await giveBackShares(this.#parts, { kind: 'taken', level, shares, waitUs: 0 });
    const refused = results.filter((result) => result.kind !== 'taken');
    const exhausted = refused.filter((result) => result.kind === 'exhausted').sort((a, b) => waitMs(b) - waitMs(a));
    return exhausted[0] ?? (refused[0] as Refused | Moved);
  }

  /** Goes where the bucket has gone; an item that lags behind is brought up first, and all that do for a request that needs all. */
  async #follow(level: Level, layout: Layout, { level: place, state }: Moved, deadlineMs: number): Promise<void> {
    const met = state === undefined ? undefined : layoutOf(state);
    if (met !== undefined && met > layout) return this.noteLayout(level, met);
    const needsAll = !fitsOneShard(level, layout);
    const reached = needsAll
      ? await this.#reshaper.finish(level, layout, deadlineMs)
      : [await this.#reshaper.bring(level, place.ref.shard, layout, deadlineMs)];
    // Gone, and with it what the first item said; or begun anew since this process has heard of it.
    if (reached.some((found) => found === undefined || layoutOf(found) < layout)) this.#layouts.forget(level.bucket);
    for (const found of reached) this.noteLayout(level, found?.layout);
  }
}

function waitMs({ level, state, nowUs }: Extract<Refused, { kind: 'exhausted' }>): number {
  return longestMs(level.debits.map((debit): LimitStatus => statusOfDebit(level, debit, state, nowUs)));
}
