import { setImmediate as allOthers } from 'node:timers/promises';
import {
  type BucketRef,
  type BucketState,
  type BucketStore,
  bucketName,
  type Limit,
  layoutOf,
  MAX_SHARDS,
  shardCount,
} from '@millrace/core';
import { Engine } from '@millrace/limiter/engine';
import { FailingStore, FakeRuntime } from '@millrace/testing';
import { BoundedMap } from '../src/engine/bounded-map.js';
import { Layouts } from '../src/engine/layouts.js';
import { levelFor } from '../src/engine/level.js';
import { MonotonicClock } from '../src/engine/monotonic-clock.js';
import { RequestIds } from '../src/engine/request-ids.js';
import { Reshaper } from '../src/engine/reshaper.js';
import type { EngineParts } from '../src/engine/send.js';
import { Stats } from '../src/engine/stats.js';
import { techniquesFrom } from '../src/engine/techniques.js';

const DEADLINE_MS = 60_000;
const SHARDS = Array.from({ length: MAX_SHARDS }, (_, shard) => shard);

/** Names a bucket by its first item. */
export function bucketOf(entity: string, resource = 'model', namespaceId = 'ns'): BucketRef {
  return { namespaceId, entity, resource, shard: 0 };
}

/** A process that spreads buckets, and does nothing else. */
export class Spreader {
  readonly layouts = new Layouts(100);
  readonly reshaper: Reshaper;
  readonly #parts: EngineParts;

  constructor(buckets: BucketStore, { clock, sleep, random }: FakeRuntime) {
    this.#parts = {
      buckets,
      clock: new MonotonicClock(clock),
      sleep,
      random,
      stats: new Stats(),
      requestIds: new RequestIds(random),
      hotItems: new BoundedMap<true>(100),
      techniques: techniquesFrom(),
    };
    this.reshaper = new Reshaper(this.#parts, this.layouts);
  }

  /** Doubles the items of a bucket, as it is found; false if it is not to be. */
  async split(ref: BucketRef, limits: readonly Limit[]): Promise<boolean> {
    return this.reshaper.split(levelOf(ref, limits), await this.#learn(ref), this.#deadlineMs());
  }

  async merge(ref: BucketRef, limits: readonly Limit[]): Promise<boolean> {
    return this.reshaper.merge(levelOf(ref, limits), await this.#learn(ref), this.#deadlineMs());
  }

  /** Spreads a bucket over so many items; there has to be one. */
  async spreadTo(count: number, ref: BucketRef, limits: readonly Limit[]): Promise<void> {
    for (;;) {
      const items = shardCount(await this.#learn(ref));
      if (items === count) return;
      if (!(await (items < count ? this.split(ref, limits) : this.merge(ref, limits)))) throw new Error(`stuck at ${items} items`);
    }
  }

  /** Brings one item to a layout that this process believes in. */
  bring(ref: BucketRef, limits: readonly Limit[], shard: number, to: number): Promise<BucketState | undefined> {
    return this.reshaper.bring(levelOf(ref, limits), shard, to, this.#deadlineMs());
  }

  async #learn(ref: BucketRef): Promise<number> {
    const { bucket } = levelOf(ref, []);
    const layout = layoutOf(await this.#parts.buckets.read(ref));
    this.layouts.forget(bucket);
    this.layouts.note(bucket, layout, this.#parts.clock.nowUs());
    return layout;
  }

  #deadlineMs(): number {
    return this.#parts.clock.nowMs() + DEADLINE_MS;
  }
}

function levelOf(ref: BucketRef, limits: readonly Limit[]) {
  return levelFor({ ref, bucket: bucketName(ref), limits, configVersion: 0, mode: 'enforce', waitUs: 0, stored: undefined }, {});
}

/** One bucket of several items, and processes that use it and spread it. */
export class SpreadWorld {
  readonly runtime: FakeRuntime;
  readonly store: FailingStore;
  readonly ref: BucketRef;

  constructor(store = new FailingStore(), seed = 1, entity = 'key') {
    this.store = store;
    this.runtime = new FakeRuntime({ seed });
    this.ref = bucketOf(entity);
  }

  get nowUs(): number {
    return Math.floor(this.runtime.clock.nowMs() * 1000);
  }

  /** A process of callers, which spreads nothing unless it is told so. */
  engine(options: Partial<ConstructorParameters<typeof Engine>[0]> = {}, store: BucketStore = this.store): Engine {
    const { clock, sleep, random } = this.runtime;
    const configs = { readConfig: this.store.readConfig.bind(this.store) };
    const both = { ...configs, write: store.write.bind(store), read: store.read.bind(store) };
    const sharding = { maxShards: 1, settleMs: Number.POSITIVE_INFINITY };
    const common = { namespaceId: 'ns', clock, sleep, random, deadlineMs: 5_000, configTtlMs: 60_000, maxEntries: 1_000, sharding };
    return new Engine({ ...common, store: both, ...options });
  }

  spreader(store: BucketStore = this.store): Spreader {
    return new Spreader(store, this.runtime);
  }

  /** The items that there are, by number. */
  items(): readonly (BucketState | undefined)[] {
    return SHARDS.map((shard) => this.store.bucket({ ...this.ref, shard }));
  }

  get count(): number {
    return shardCount(layoutOf(this.store.bucket(this.ref)));
  }

  /** What is on the books of all items together: used less returned. */
  net(limit: string): number {
    return SHARDS.reduce((sum, shard) => sum + this.store.net({ ...this.ref, shard }, limit), 0);
  }

  /** What all items lack together: see {@link lackingUnits}. In microseconds of an undivided bucket. */
  lackingUs(limit: string): number {
    return lackingUnits(this.items(), limit, this.nowUs) / MAX_SHARDS;
  }
}

/**
 * What the items of a bucket lack together, whatever step of a split or a merge they are at: in 32nds of the microseconds
 * that the tokens take on an undivided bucket, so that it is a whole number for any number of items.
 */
export function lackingUnits(items: readonly (BucketState | undefined)[], limit: string, nowUs: number): number {
  const missing = (held: { readonly tatUs: number } | undefined): number => (held === undefined ? 0 : Math.max(0, held.tatUs - nowUs));
  let units = 0;
  for (const [shard, state] of items.entries()) {
    if (state === undefined) continue;
    const layout = layoutOf(state);
    const count = shardCount(layout);
    if (shard < count) units += (missing(state.limits.get(limit)) * MAX_SHARDS) / count;
    // An item that is still to split off lacks what it will begin with; one that has gone, what nobody has taken over yet.
    const isToCome = shard < count / 2 && layoutOf(items[shard + count / 2]) < layout;
    if (isToCome) units += (missing(state.seeds?.get(limit)) * MAX_SHARDS) / count;
    const isLeft = shard >= count && shard < 2 * count && layoutOf(items[shard - count]) < layout;
    if (isLeft) units += (missing(state.limits.get(limit)) * MAX_SHARDS) / (2 * count);
  }
  return units;
}

/** Lets requests of several processes through one at a time, in an order that a test chooses. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** The store as one process reaches it: each of its requests waits for its turn. */
  through(store: BucketStore): BucketStore {
    const turn = () => new Promise<void>((resolve) => this.#waiting.push(resolve));
    return {
      write: (write) => turn().then(() => store.write(write)),
      read: (ref) => turn().then(() => store.read(ref)),
    };
  }

  /** Runs programs, and lets `next` choose: which of those that wait is let through, or, beyond them, that the next program begins. */
  async play(programs: readonly (() => Promise<unknown>)[], next: (choices: number) => number): Promise<void> {
    let [begun, running] = [0, 0];
    const begin = (): void => {
      const program = programs[begun] as () => Promise<unknown>;
      begun += 1;
      running += 1;
      void program().finally(() => {
        running -= 1;
      });
    };
    while (begun < programs.length || running > 0) {
      await allOthers();
      const choices = this.#waiting.length + (begun < programs.length ? 1 : 0);
      if (choices === 0) continue;
      const chosen = next(choices);
      if (chosen < this.#waiting.length) this.#waiting.splice(chosen, 1)[0]?.();
      else begin();
    }
  }
}
