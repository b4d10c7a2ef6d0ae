import {
  type BucketRef,
  type BucketState,
  type BucketWrite,
  bucketName,
  FIRST_LAYOUT,
  type Layout,
  layoutAfter,
  layoutOf,
  MAX_SHARDS,
  type Reshape,
  type Seed,
  StoreFailure,
  shardCount,
  ttlSecFor,
  type WriteOutcome,
} from '@millrace/core';
import { absorbMoves, seedsAfter } from './absorb.js';
import type { Layouts } from './layouts.js';
import type { Level } from './level.js';
import { Debit } from './request-ids.js';
import { type EngineParts, sendRead, sendWrite } from './send.js';

/** How often one step is tried that others keep changing the item under. */
const MAX_TRIES = 8;

/** One item on its way to a layout. */
interface Way {
  readonly bucket: Bucket;
  readonly shard: number;
  readonly to: Layout;
  readonly deadlineMs: number;
}

/** A bucket whose layout is being changed: the level tells which, and which limits there are. */
type Bucket = Pick<Level, 'ref' | 'bucket' | 'limits'>;

/**
 * Brings the items of a bucket from one layout to the next. Each step is one conditional write, any process may do it,
 * and doing it twice is refused: whoever meets an item that lags behind brings it up before it takes from it, so that
 * nothing depends on the process that has begun.
 *
 * - **Split.** Each item sets the new layout and keeps a copy of its arrival times at that moment; the items beside it
 *   begin with that copy. A token takes twice as long on each, so together they lack what the one did.
 * - **Merge.** The items that go set the new layout first: from then on nobody takes from them, and what they lack is
 *   final. Those that stay then lack the mean of both, at half the time for a token: the same tokens again.
 *
 * The first item decides. It has the layout of a split before any other, and names that of a merge until it has it; no
 * other item is brought to a layout that the first one does not know, whatever this process remembers from long ago.
 */
export class Reshaper {
  readonly #parts: EngineParts;
  readonly #layouts: Layouts;

  constructor(parts: EngineParts, layouts: Layouts) {
    this.#parts = parts;
    this.#layouts = layouts;
  }

  /**
   * Doubles the number of items of a layout. False if somebody else has decided since, or decides at the same time, or the
   * last decision is not carried out yet.
   */
  async split(bucket: Bucket, from: Layout, deadlineMs: number): Promise<boolean> {
    const to = layoutAfter(from, 2 * shardCount(from));
    if (!(await this.#isReady(bucket, from, deadlineMs))) return false;
    if ((await this.#decideSplit(bucket, from, to, deadlineMs))?.layout !== to) return false;
    this.#note(bucket, to);
    await this.finish(bucket, to, deadlineMs);
    return true;
  }

  /** Halves the number of items. False as for {@link split}. A merge that nobody has finished is finished. */
  async merge(bucket: Bucket, from: Layout, deadlineMs: number): Promise<boolean> {
    const half = shardCount(from) / 2;
    const to = layoutAfter(from, half);
    if (half < 1 || !(await this.#isReady(bucket, from, deadlineMs, to))) return false;
    const begun = await this.#step(bucket, 0, { form: 'intend', to }, from, deadlineMs);
    if (begun.state?.nextLayout !== to) return false;
    await Promise.all(range(half, 2 * half).map((shard) => this.bring(bucket, shard, to, deadlineMs)));
    await Promise.all(range(1, half).map((shard) => this.bring(bucket, shard, to, deadlineMs)));
    const first = await this.bring(bucket, 0, to, deadlineMs);
    if (first?.layout !== to) return false;
    this.#note(bucket, to);
    return true;
  }

  /**
   * Carries out what is left of the decision for a layout, and gives its items. Once all are there, nobody needs the seeds
   * any more: they go, also those that a process has left that died.
   */
  async finish(bucket: Bucket, layout: Layout, deadlineMs: number): Promise<readonly (BucketState | undefined)[]> {
    const shards = range(0, shardCount(layout));
    const states = await Promise.all(shards.map((shard) => this.bring(bucket, shard, layout, deadlineMs)));
    if (states.every((state) => layoutOf(state) === layout)) {
      await Promise.all(shards.map((shard) => this.#forgetSeeds(bucket, shard, states[shard], deadlineMs)));
    }
    return states;
  }

  /**
   * Brings one item to a layout that others of its bucket have, and returns it. Returns the first item where the bucket is
   * elsewhere by what that says, and undefined if the bucket is gone.
   */
  async bring(bucket: Bucket, shard: number, to: Layout, deadlineMs: number): Promise<BucketState | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const state = await this.#read(bucket, shard, deadlineMs);
      if (state !== undefined && layoutOf(state) >= to) return state;
      const first = shard === 0 ? state : await this.#read(bucket, 0, deadlineMs);
      if (first === undefined || (layoutOf(first) !== to && first.nextLayout !== to)) return first;
      const reached = await this.#bringFrom({ bucket, shard, to, deadlineMs }, state, first);
      if (reached !== 'again') return reached;
    }
    throw restless(bucket);
  }

  async #bringFrom(way: Way, state: BucketState | undefined, first: BucketState): Promise<BucketState | 'again'> {
    const { bucket, shard, to, deadlineMs } = way;
    const count = shardCount(to);
    const from = layoutOf(state);
    // Missing, retired, or left over from a bucket that is gone: nobody has taken from it in the layout before this one.
    const isNew = state === undefined || shard >= shardCount(from) || layoutAfter(from, count) !== to;
    // It goes, and has nothing to leave; nobody is to begin it any more.
    if (isNew && shard >= count) return landed(await this.#step(bucket, shard, { form: 'birth', to, seeds: NO_SEEDS }, from, deadlineMs));
    if (isNew) return this.#bear(way, state, first);
    if (count > shardCount(from)) return landed(await this.#splitStep(bucket, shard, state, to, deadlineMs));
    if (shard >= count) return landed(await this.#step(bucket, shard, { form: 'retire', to }, from, deadlineMs, state));
    const retired = await this.bring(bucket, shard + count, to, deadlineMs);
    if (layoutOf(retired) !== to) return 'again';
    return landed(await this.#step(bucket, shard, { form: 'absorb', to }, from, deadlineMs, state, retired));
  }

  /** Begins an item: of a split with what the one beside it lacked; one that has expired was full, and begins so again. */
  async #bear(way: Way, state: BucketState | undefined, first: BucketState): Promise<BucketState | 'again'> {
    const { bucket, shard, to, deadlineMs } = way;
    const half = shardCount(to) / 2;
    const source = shard < half ? first : await this.bring(bucket, shard - half, to, deadlineMs);
    if (source === undefined || (source !== first && layoutOf(source) !== to)) return 'again';
    const retired = await this.#retiredBeside(way);
    if (retired === 'again') return 'again';
    const seeds = retired === undefined ? ((shard < half ? undefined : source.seeds) ?? NO_SEEDS) : seedsAfter(retired, this.#nowUs());
    // The new item has met what the one beside it has, so that nobody with an older configuration takes from it.
    const configVersion = Math.max(state?.configVersion ?? 0, source.configVersion ?? 0);
    const seen = { ...source, limits: asLimits(seeds), configVersion };
    return landed(await this.#step(bucket, shard, { form: 'birth', to, seeds }, layoutOf(state), deadlineMs, seen));
  }

  /** The item that goes in favour of one that has expired before it could take over. */
  async #retiredBeside({ bucket, shard, to, deadlineMs }: Way): Promise<BucketState | undefined | 'again'> {
    const beside = shard + shardCount(to);
    const state = beside < MAX_SHARDS ? await this.#read(bucket, beside, deadlineMs) : undefined;
    const isOfMerge =
      layoutOf(state) === to || (shardCount(layoutOf(state)) > beside && layoutAfter(layoutOf(state), shardCount(to)) === to);
    if (state === undefined || !isOfMerge) return undefined;
    const retired = await this.bring(bucket, beside, to, deadlineMs);
    return retired === undefined || layoutOf(retired) !== to ? 'again' : retired;
  }

  /** Sets the layout of a split at the first item, if that is still where it was. */
  async #decideSplit(bucket: Bucket, from: Layout, to: Layout, deadlineMs: number): Promise<BucketState | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const state = await this.#read(bucket, 0, deadlineMs);
      if (state === undefined || layoutOf(state) !== from || state.nextLayout !== undefined) return state;
      const reached = landed(await this.#splitStep(bucket, 0, state, to, deadlineMs));
      if (reached !== 'again') return reached;
    }
    throw restless(bucket);
  }

  #splitStep(bucket: Bucket, shard: number, state: BucketState, to: Layout, deadlineMs: number): Promise<WriteOutcome> {
    const absent = bucket.limits.map(({ name }) => name).filter((name) => !state.limits.has(name));
    return this.#step(bucket, shard, { form: 'split', to, limits: [...state.limits.keys()], absent }, layoutOf(state), deadlineMs, state);
  }

  /** Whether all items have a layout, so that the next one may be decided; `next` is a merge that has begun already. */
  async #isReady(bucket: Bucket, layout: Layout, deadlineMs: number, next?: Layout): Promise<boolean> {
    if (this.#layouts.of(bucket.bucket) !== layout) return false;
    if (shardCount(layout) === 1) return true;
    const states = await this.finish(bucket, layout, deadlineMs);
    for (const state of states) if (state?.layout !== undefined) this.#note(bucket, state.layout);
    const begun = states[0]?.nextLayout;
    // A merge that has begun has retired some items already.
    const isOn = (state: BucketState | undefined): boolean =>
      layoutOf(state) === layout || (next !== undefined && layoutOf(state) === next);
    if (begun === undefined || begun === next) return states.every(isOn);
    await this.merge(bucket, layout, deadlineMs);
    return false;
  }

  async #forgetSeeds(bucket: Bucket, shard: number, state: BucketState | undefined, deadlineMs: number): Promise<void> {
    const limits = [...(state?.seeds?.keys() ?? [])];
    if (limits.length > 0) await this.#step(bucket, shard, { form: 'born', limits }, state?.layout, deadlineMs, state);
  }

  /** One step of one item, on condition that it has the layout that it was seen with. */
  async #step(
    { ref }: Bucket,
    shard: number,
    reshape: Reshape,
    layout: Layout | undefined,
    deadlineMs: number,
    seen?: BucketState,
    retired?: BucketState,
  ): Promise<WriteOutcome> {
    // Of a split, so that no limit comes with a newer configuration that the splitting process has not seen.
    const isFenced = reshape.form === 'birth' || reshape.form === 'split';
    const version = isFenced && seen?.configVersion !== undefined ? { configVersion: seen.configVersion } : {};
    const debit = new Debit<{ readonly write: BucketWrite }>(this.#parts.requestIds, bucketName(placed(ref, shard)));
    const place = { shard, layout: 'to' in reshape ? reshape.to : (layout ?? FIRST_LAYOUT) };
    const prepare = (nowUs: number): { readonly write: BucketWrite } => ({
      write: {
        ref: placed(ref, shard),
        nowUs,
        ttlSec: ttlSecFor([], retired === undefined ? seen : deeper(seen, retired), nowUs, place),
        ...(layout === undefined ? {} : { layout }),
        ...version,
        request: debit.request,
        reshape,
        moves: reshape.form === 'absorb' ? absorbMoves(seen, retired, nowUs) : [],
      },
    });
    try {
      const { outcome } = await sendWrite(this.#parts, prepare, deadlineMs, debit);
      return outcome;
    } finally {
      debit.end();
    }
  }

  #read({ ref }: Bucket, shard: number, deadlineMs: number): Promise<BucketState | undefined> {
    return sendRead(this.#parts, placed(ref, shard), deadlineMs);
  }

  #note(bucket: Bucket, layout: Layout): void {
    this.#layouts.note(bucket.bucket, layout, this.#nowUs());
  }

  #nowUs(): number {
    return this.#parts.clock.nowUs();
  }
}

const NO_SEEDS: ReadonlyMap<string, Seed> = new Map();

function restless({ ref }: Bucket): StoreFailure {
  return new StoreFailure('throttled', 'no', `an item of the bucket of "${ref.entity}" on "${ref.resource}" kept changing`);
}

/** What an item begins with, for whoever reckons with it before it does. */
export function asLimits(seeds: ReadonlyMap<string, Seed>): BucketState['limits'] {
  return new Map(
    [...seeds].map(([limit, { tatUs, scale }]) => [limit, { tatUs, used: 0n, returned: 0n, ...(scale === undefined ? {} : { scale }) }]),
  );
}

/** The item that a step has left; a step that was refused is judged by the item as it is then. */
function landed(outcome: WriteOutcome): BucketState | 'again' {
  return outcome.kind === 'written' ? outcome.state : 'again';
}

/** Of two items, the one that is full later: what is left of both must not expire before that. */
function deeper(a: BucketState | undefined, b: BucketState): BucketState {
  const fullUs = (state: BucketState | undefined): number => Math.max(0, ...[...(state?.limits.values() ?? [])].map(({ tatUs }) => tatUs));
  return a !== undefined && fullUs(a) >= fullUs(b) ? a : b;
}

function placed(ref: BucketRef, shard: number): BucketRef {
  return ref.shard === shard ? ref : { ...ref, shard };
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
