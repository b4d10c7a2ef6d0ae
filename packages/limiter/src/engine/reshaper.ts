import {
  type BucketRef,
  type BucketState,
  type BucketWrite,
  bucketName,
  FIRST_LAYOUT,
  type Layout,
  layoutAfter,
  type Reshape,
  StoreFailure,
  shardCount,
  ttlSecFor,
} from '@millrace/core';
import { absorbMoves } from './absorb.js';
import type { Layouts } from './layouts.js';
import type { Level } from './level.js';
import { Debit } from './request-ids.js';
import { type EngineParts, sendRead, sendWrite } from './send.js';

/** How often one step is tried that others keep changing the item under. */
const MAX_TRIES = 8;

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
    const count = shardCount(from);
    const to = layoutAfter(from, 2 * count);
    if (!(await this.#isReady(bucket, from, deadlineMs))) return false;
    // The first item decides; that it is of the new layout is what makes it so.
    const first = await this.bring(bucket, 0, to, deadlineMs);
    if (first?.layout !== to) return false;
    this.#note(bucket, to);
    const shards = await Promise.all(range(1, 2 * count).map((shard) => this.bring(bucket, shard, to, deadlineMs)));
    // Every new item has what it begins with.
    await Promise.all([first, ...shards.slice(0, count - 1)].map((state, shard) => this.#forgetSeeds(bucket, shard, state, deadlineMs)));
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

  /** Brings one item to a layout that others of its bucket have. Returns the item then; undefined if the bucket is gone. */
  async bring(bucket: Bucket, shard: number, to: Layout, deadlineMs: number): Promise<BucketState | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const state = await sendRead(this.#parts, placed(bucket.ref, shard), deadlineMs);
      const from = state === undefined ? undefined : (state.layout ?? FIRST_LAYOUT);
      if (from !== undefined && from >= to) return state;
      const reached = await this.#bringFrom(bucket, shard, { state, from }, to, deadlineMs);
      if (reached !== 'again') return reached;
    }
    throw new StoreFailure('throttled', 'no', `an item of the bucket of "${bucket.ref.entity}" on "${bucket.ref.resource}" kept changing`);
  }

  async #bringFrom(
    bucket: Bucket,
    shard: number,
    { state, from }: { readonly state: BucketState | undefined; readonly from: Layout | undefined },
    to: Layout,
    deadlineMs: number,
  ): Promise<BucketState | undefined | 'again'> {
    const count = shardCount(to);
    if (from === undefined || state === undefined || shard >= shardCount(from)) {
      if (shard === 0) return undefined;
      // Of a split, the item that this one splits off from; an item that has expired was full, and no other can tell more.
      const source = await this.bring(bucket, shard < count / 2 ? 0 : shard - count / 2, to, deadlineMs);
      if (source === undefined) return undefined;
      const seeds = shard < count / 2 ? NO_SEEDS : (source.seeds ?? NO_SEEDS);
      // The new item has met what the one beside it has, so that nobody with an older configuration takes from it.
      const configVersion = Math.max(state?.configVersion ?? 0, source.configVersion ?? 0);
      return landed(await this.#step(bucket, shard, { form: 'birth', to, seeds }, undefined, deadlineMs, { ...source, configVersion }));
    }
    if (count > shardCount(from)) {
      const absent = bucket.limits.map(({ name }) => name).filter((name) => !state.limits.has(name));
      const split: Reshape = { form: 'split', to, limits: [...state.limits.keys()], absent };
      return landed(await this.#step(bucket, shard, split, from, deadlineMs, state));
    }
    if (shard >= count) return landed(await this.#step(bucket, shard, { form: 'retire', to }, from, deadlineMs, state));
    const retired = await this.bring(bucket, shard + count, to, deadlineMs);
    return landed(await this.#step(bucket, shard, { form: 'absorb', to }, from, deadlineMs, state, retired));
  }

  /** Whether all items have a layout, so that the next one may be decided; `next` is a merge that has begun already. */
  async #isReady(bucket: Bucket, layout: Layout, deadlineMs: number, next?: Layout): Promise<boolean> {
    if (this.#layouts.of(bucket.bucket) !== layout) return false;
    if (shardCount(layout) === 1) return true;
    const states = await Promise.all(range(0, shardCount(layout)).map((shard) => this.bring(bucket, shard, layout, deadlineMs)));
    for (const state of states) if (state?.layout !== undefined) this.#note(bucket, state.layout);
    if (!states.every((state) => state?.layout === layout)) return false;
    const begun = states[0]?.nextLayout;
    if (begun !== undefined && begun !== next) await this.merge(bucket, layout, deadlineMs);
    return begun === undefined || begun === next;
  }

  async #forgetSeeds(bucket: Bucket, shard: number, state: BucketState | undefined, deadlineMs: number): Promise<void> {
    const limits = [...(state?.seeds?.keys() ?? [])];
    if (limits.length > 0) await this.#step(bucket, shard, { form: 'born', limits }, state?.layout, deadlineMs, state);
  }

  async #step(
    { ref }: Bucket,
    shard: number,
    reshape: Reshape,
    layout: Layout | undefined,
    deadlineMs: number,
    seen?: BucketState,
    retired?: BucketState,
  ) {
    const { configVersion } = seen ?? {};
    const version = reshape.form === 'birth' && configVersion !== undefined ? { configVersion } : {};
    const debit = new Debit<{ readonly write: BucketWrite }>(this.#parts.requestIds, bucketName(placed(ref, shard)));
    const prepare = (nowUs: number): { readonly write: BucketWrite } => ({
      write: {
        ref: placed(ref, shard),
        nowUs,
        ttlSec: ttlSecFor([], retired === undefined ? seen : deeper(seen, retired), nowUs, 'to' in reshape ? reshape.to : layout),
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

  #note(bucket: Bucket, layout: Layout): void {
    this.#layouts.note(bucket.bucket, layout, this.#parts.clock.nowUs());
  }
}

const NO_SEEDS = new Map<never, never>();

/** The item that a step has left; a step that was refused is judged by the item as it is then. */
function landed(outcome: { readonly kind: 'written' | 'refused'; readonly state: BucketState | undefined }): BucketState | 'again' {
  return outcome.kind === 'written' && outcome.state !== undefined ? outcome.state : 'again';
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
