import { type Form, latestUs } from './arrival.js';
import { FIRST_LAYOUT, type Layout } from './layout.js';
import type { Timing } from './timing.js';

/** Names one bucket: the state of all limits of one entity on one resource. */
export interface BucketRef {
  /** The opaque id of the namespace, not its name. */
  readonly namespaceId: string;
  readonly entity: string;
  readonly resource: string;
  /** Which of the items of a bucket that is spread over several; 0 where there is one. */
  readonly shard: number;
}

/** The state of one limit. The two counters only ever grow; what was consumed is the growth of `used` less that of `returned`. */
export interface LimitState {
  readonly tatUs: number;
  readonly used: bigint;
  readonly returned: bigint;
  /** How long a token took for whoever wrote the arrival time: see {@link Timing.scale}. Absent on items older than it. */
  readonly scale?: string;
}

/** A bucket as it is stored. */
export interface BucketState {
  readonly limits: ReadonlyMap<string, LimitState>;
  /** Grows by one with every write. */
  readonly seq: number;
  /** The newest configuration that any writer knew. */
  readonly configVersion: number | undefined;
  readonly ttlSec: number;
  /**
   * Names the era of the item: its creation time, and one more for each drop of a limit since. Within an era no counter
   * ever jumps; at the creation of an item, and of a limit that was dropped, they begin anew. Absent on items that no
   * release since the ledger has written.
   */
  readonly eraUs?: number;
  /** The request that each slot has seen last; absent where there was none. */
  readonly requestIds?: ReadonlyMap<number, number>;
  /** Over how many items the bucket is spread; absent on one that never was. */
  readonly layout?: Layout;
  /** The layout that a merge is bringing about; on the first item only. */
  readonly nextLayout?: Layout;
  /** What the item that splits off from this one begins with; absent once it has. */
  readonly seeds?: ReadonlyMap<string, Seed>;
  /** That the item was too hot, by whoever reads the stream; absent where nobody said so. Nothing depends on it. */
  readonly hint?: SplitHint;
}

/** That an item was written to more often than one partition carries for long. Of another layout than the item has, it is done with. */
export interface SplitHint {
  /** The layout in which it was. */
  readonly layout: Layout;
  /** When, in seconds since the epoch. */
  readonly atSec: number;
}

/** The layout that an item says; one that is missing has the first. */
export function layoutOf(state: BucketState | undefined): Layout {
  return state?.layout ?? FIRST_LAYOUT;
}

/** The state of a limit as a split found it. */
export interface Seed {
  readonly tatUs: number;
  readonly scale: string | undefined;
}

/** How many of its last requests a bucket remembers, each in a slot. The writer chooses the slot. */
export const REQUEST_SLOTS = 4;

/**
 * Names a request, so that it counts once however often it arrives: the bucket refuses a write whose name its slot holds.
 * Another writer of the same slot makes it forget, and then a request that is sent again counts again; that leaks, and
 * never mints, as long as it is a debit.
 */
export interface RequestId {
  readonly slot: number;
  /** A whole number that no other request of any writer is likely to have. A number takes less room on the item than a text. */
  readonly id: number;
}

/** True if the bucket remembers this very request. */
export function hasApplied(state: BucketState | undefined, request: RequestId | undefined): boolean {
  return request !== undefined && state?.requestIds?.get(request.slot) === request.id;
}

/**
 * What happens to one limit in a write, and on which condition. A write happens as a whole or not at all.
 *
 * | form | condition | what it does |
 * | --- | --- | --- |
 * | busy | `fromUs <= tat`, and `tat <= toUs` if there is one | moves `tat` on by `chargeUs`, counts `tokens` as used |
 * | idle | no `tat`, or `tat <= toUs` | sets `tat` to now + `chargeUs`, counts `tokens` as used |
 * | credit | there is a `tat` | moves `tat` back by `chargeUs`, counts `tokens` as returned |
 * | revive | there is no `tat` | sets `tat` to now (a full bucket stays full), counts `tokens` as returned |
 * | rescale | `tat` is `fromTatUs` | sets `tat` to `toTatUs`, which says the same in another scale |
 * | drop | `tat <= toUs` | removes all that is kept of the limit; a full limit and none are the same |
 *
 * A move that names a scale leaves it on the bucket. Busy and credit move an arrival time by a distance, which means
 * nothing in another scale: they also demand that the bucket has theirs, or none yet. A full bucket is full in any scale.
 */
export type Move =
  | {
      readonly form: 'busy';
      readonly limit: string;
      readonly tokens: number;
      readonly chargeUs: number;
      readonly fromUs: number;
      readonly toUs?: number;
      readonly scale?: string;
    }
  | {
      readonly form: 'idle';
      readonly limit: string;
      readonly tokens: number;
      readonly chargeUs: number;
      readonly toUs: number;
      readonly scale?: string;
    }
  | { readonly form: 'credit'; readonly limit: string; readonly tokens: number; readonly chargeUs: number; readonly scale?: string }
  | { readonly form: 'revive'; readonly limit: string; readonly tokens: number; readonly scale?: string }
  | { readonly form: 'rescale'; readonly limit: string; readonly fromTatUs: number; readonly toTatUs: number; readonly scale: string }
  | { readonly form: 'drop'; readonly limit: string; readonly toUs: number };

/** A move that takes, or charges. */
export type TakeMove = Extract<Move, { readonly form: Form }>;

/**
 * A step of a bucket's way from one layout to another. Each is one write of one item, and whoever comes by may do it.
 *
 * | form | item | what it does |
 * | --- | --- | --- |
 * | split | of a split, each that is there | sets the layout, and keeps each limit's arrival time as a seed |
 * | birth | of a split, each new one | sets the layout and the limits to what the seeds say; refused by an item that is as new |
 * | born | of a split, each that was there | forgets the seeds |
 * | intend | of a merge, the first | says where to: one decision at a time |
 * | retire | of a merge, each that goes | sets the layout; nobody takes from the item any more, so that what it lacks is final |
 * | absorb | of a merge, each that stays | sets the layout, and, by its moves, what the two of them lack together |
 */
export type Reshape =
  | { readonly form: 'split'; readonly to: Layout; readonly limits: readonly string[]; readonly absent: readonly string[] }
  | { readonly form: 'birth'; readonly to: Layout; readonly seeds: ReadonlyMap<string, Seed> }
  | { readonly form: 'born'; readonly limits: readonly string[] }
  | { readonly form: 'intend' | 'retire' | 'absorb'; readonly to: Layout };

/** One conditional write of one bucket. */
export interface BucketWrite {
  readonly ref: BucketRef;
  readonly nowUs: number;
  readonly ttlSec: number;
  /** Refused if the bucket has met a newer one; absent where the writer's configuration does not matter. */
  readonly configVersion?: number;
  /** Refused if the bucket remembers it; absent where a second arrival does no harm, or must not be risked at all. */
  readonly request?: RequestId;
  /** Refused if the item has another one; absent where it does not matter. An item that is missing has the first. */
  readonly layout?: Layout;
  readonly reshape?: Reshape;
  readonly moves: readonly Move[];
}

/** The answer to a write: the state after it, or the state that refused it (absent if there is no such item). */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly state: BucketState }
  | { readonly kind: 'refused'; readonly state: BucketState | undefined };

/**
 * Takes tokens if the bucket has them. The busy form lands on a bucket that is at most δ behind now: one that filled up
 * a moment ago is still moved on rather than set, so that a guess which is slightly stale lands.
 */
export function takeMove(limit: string, timing: Timing, form: Form, tokens: number, chargeUs: number, nowUs: number, waitUs = 0): TakeMove {
  const toUs = latestUs(timing, nowUs, chargeUs, waitUs);
  const { scale } = timing;
  return form === 'busy'
    ? { form, limit, tokens, chargeUs, fromUs: nowUs - timing.deadBandUs, toUs, scale }
    : { form, limit, tokens, chargeUs, toUs: Math.min(nowUs, toUs), scale };
}

/**
 * Takes tokens from a bucket that keeps changing between its forms. It is the busy form from further behind, `fromUs`,
 * and charges what that is beyond the dead-band **on top**: the result lags no more than the busy form's, so nothing is
 * minted, and it lands wherever others have moved the arrival time meanwhile. The surplus is lost; it is a last resort.
 */
export function insistMove(
  limit: string,
  timing: Timing,
  tokens: number,
  chargeUs: number,
  fromUs: number,
  nowUs: number,
  waitUs = 0,
): TakeMove {
  const chargedUs = chargeUs + surplusUs(timing, fromUs, nowUs);
  const toUs = latestUs(timing, nowUs, chargedUs, waitUs);
  return { form: 'busy', limit, tokens, chargeUs: chargedUs, fromUs, toUs, scale: timing.scale };
}

/** The same for tokens that are already spent. */
export function insistChargeMove(limit: string, timing: Timing, tokens: number, chargeUs: number, fromUs: number, nowUs: number): TakeMove {
  return { form: 'busy', limit, tokens, chargeUs: chargeUs + surplusUs(timing, fromUs, nowUs), fromUs, scale: timing.scale };
}

function surplusUs(timing: Timing, fromUs: number, nowUs: number): number {
  return Math.max(0, nowUs - timing.deadBandUs - fromUs);
}

/** Takes tokens that are already spent: there is no upper bound, the bucket may go into debt. */
export function chargeMove(limit: string, timing: Timing, form: Form, tokens: number, chargeUs: number, nowUs: number): TakeMove {
  const { scale } = timing;
  return form === 'busy'
    ? { form, limit, tokens, chargeUs, fromUs: nowUs - timing.deadBandUs, scale }
    : { form, limit, tokens, chargeUs, toUs: nowUs, scale };
}

/**
 * Where the counters of a new item begin: its creation time in nanoseconds. An item is deleted only once it is full
 * again, and what was taken meanwhile is less than 10⁹ tokens a second, so an item that is created again goes on above
 * the counters of the one before it.
 */
export function counterBase(nowUs: number): bigint {
  return BigInt(nowUs) * 1000n;
}

const GRACE_SEC = 7 * 86_400;
/**
 * The first item of a bucket that was ever spread says over how many, and must outlive all others: without it the bucket
 * begins anew, and an item of its former life would be taken for one that has split off already.
 */
const FIRST_ITEM_GRACE_SEC = 90 * 86_400;

/** Which item of a bucket is written, over how many items; without a layout the one that was seen. */
export interface ItemPlace {
  readonly shard: number;
  readonly layout?: Layout;
}

/**
 * When an item may be deleted: a week after it is full again, as far as the writer knows. A deleted bucket counts as
 * full, so deletion must never come before that.
 */
export function ttlSecFor(
  timings: readonly Timing[],
  seen: BucketState | undefined,
  nowUs: number,
  { shard, layout = layoutOf(seen) }: ItemPlace,
): number {
  let fullUs = nowUs;
  for (let index = 0; index < timings.length; index += 1) fullUs = Math.max(fullUs, nowUs + (timings[index] as Timing).toleranceUs);
  seen?.limits.forEach(({ tatUs }) => {
    if (tatUs > fullUs) fullUs = tatUs;
  });
  return Math.ceil(fullUs / 1_000_000) + (shard === 0 && layout !== FIRST_LAYOUT ? FIRST_ITEM_GRACE_SEC : GRACE_SEC);
}

/** A moment, in seconds, before which the last write of a bucket was made: {@link ttlSecFor} adds at least this much to the time of each. */
export function writtenBeforeSec({ ttlSec }: Pick<BucketState, 'ttlSec'>): number {
  return ttlSec - GRACE_SEC;
}

/** True when an item would be deleted less than a day after it is full: its writer did not know how deep its debt is. */
export function needsLongerTtl(state: BucketState): boolean {
  const expiresUs = state.ttlSec * 1_000_000;
  let needsLonger = false;
  state.limits.forEach(({ tatUs }) => {
    needsLonger ||= expiresUs < tatUs + 86_400_000_000;
  });
  return needsLonger;
}
