import {
  acrossLayouts,
  type BucketRef,
  type BucketState,
  type BucketWrite,
  bucketName,
  chargeMove,
  creditInScale,
  debitInScale,
  insistChargeMove,
  isStale,
  type Layout,
  type Limit,
  layoutOf,
  type Move,
  type RequestId,
  shardCount,
  type Timing,
  timingOf,
  ttlSecFor,
} from '@millrace/core';
import { insistFromUs, MAX_WRITES, restlessBucket } from './insist.js';
import type { Level } from './level.js';
import { Debit } from './request-ids.js';
import { checkDeadline, sendWrite } from './send.js';
import type { TakeParts } from './take.js';
import { lengthenLife } from './upkeep.js';

/** A change of one limit: tokens taken (above zero) or given back (not above), and the time that they move in its scale. */
export interface Change {
  readonly limit: Limit;
  readonly tokens: number;
  readonly chargeUs: number;
}

/** Where a change goes: the item that was charged, or its heir where that one is gone. */
interface Place {
  readonly ref: BucketRef;
  readonly bucket: string;
  /** Over how many items the bucket is believed to be spread. */
  readonly layout: Layout;
  /** The item, as it is believed to be. */
  readonly seen: BucketState | undefined;
}

/**
 * Writes changes that no limit can refuse. A refusal only tells which form each limit needs, which scale, and over how
 * many items the bucket is spread now: what settles a lease follows the bucket, whatever it was like when the lease was
 * taken. `isPart` says that they have been divided among several items already.
 */
export async function applyChanges(
  parts: TakeParts,
  level: Level,
  changes: readonly Change[],
  deadlineMs: number,
  isPart = false,
): Promise<BucketState> {
  const known = parts.knowledge.seen(level.bucket);
  const charged: Place = { ...level, seen: known };
  // What this process knows may be that the item has retired: then nothing that is written to it counts any more.
  let place = known !== undefined && layoutOf(known) > level.layout ? placeAfter(charged, known) : charged;
  const gives = changes.some(({ tokens }) => tokens <= 0);
  const mayDivide = gives && !isPart;
  if (mayDivide && hasSplit(charged, place)) return changeAll(parts, level, charged, changes, place.layout, deadlineMs);
  // What gives back must never arrive twice, and a name is forgotten once others have used its slot.
  const debit = gives ? undefined : new Debit<{ readonly write: BucketWrite }>(parts.requestIds, level.bucket);
  try {
    for (let attempt = 1; attempt <= MAX_WRITES; attempt += 1) {
      if (attempt > 1) checkDeadline(parts, deadlineMs);
      const at = place;
      const prepare = (nowUs: number) => prepareChanges(at, changesAt(at, level, changes), attempt, nowUs, debit?.request);
      const send = async () => {
        const sent = await sendWrite(parts, prepare, deadlineMs, debit);
        parts.knowledge.note(at.bucket, sent.outcome.state, sent.prepared.write.nowUs);
        return sent;
      };
      const { outcome } = await (gives ? whileReturning(parts, at.bucket, send) : send());
      if (outcome.kind === 'written') {
        await lengthenLife(parts, at, outcome.state, deadlineMs);
        return outcome.state;
      }
      place = placeAfter(at, outcome.state);
      if (mayDivide && hasSplit(at, place))
        return await changeAll(parts, level, at, changesAt(at, level, changes), place.layout, deadlineMs);
      parts.stats.add('branchMisses');
    }
    throw restlessBucket(level.entity, level.resource);
  } finally {
    debit?.end();
  }
}

/** Whether an item has become several since it was known. */
function hasSplit(at: Place, next: Place): boolean {
  return shardCount(next.layout) > shardCount(at.layout);
}

/**
 * Gives back to all the items that one has split into, which all lack what it lacked: to one of them it would be more than
 * that may be full of. What is taken is taken from the first of them alone, and so are all tokens counted there.
 */
async function changeAll(
  parts: TakeParts,
  level: Level,
  at: Place,
  changes: readonly Change[],
  layout: Layout,
  deadlineMs: number,
): Promise<BucketState> {
  const [from, to] = [shardCount(at.layout), shardCount(layout)];
  const { shard: first } = at.ref;
  const outcomes = await Promise.allSettled(
    Array.from({ length: to / from }, (_, index) => {
      const ref = { ...at.ref, shard: first + index * from };
      const part = changes.flatMap((change): Change[] => {
        if (change.tokens <= 0) return [index === 0 ? change : { ...change, tokens: 0 }];
        return index === 0 ? [{ ...change, chargeUs: acrossLayouts(change.chargeUs, from, to, 'up') }] : [];
      });
      return applyChanges(parts, { ...level, ref, bucket: bucketName(ref), layout }, part, deadlineMs, true);
    }),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return (outcomes[0] as PromiseFulfilledResult<BucketState>).value;
}

/** Where to go by the state that an item was found in, also where that is that there is none. */
function placeAfter(at: Place, state: BucketState | undefined): Place {
  const layout = layoutOf(state);
  const { shard } = at.ref;
  if (state === undefined && shard === 0) return { ...at, layout, seen: undefined };
  // An item that is gone was full, or has left what it lacked to the one that it belongs to.
  const heir = state === undefined ? 0 : shard % shardCount(layout);
  if (heir === shard) return { ...at, layout, seen: state };
  const ref = { ...at.ref, shard: heir };
  return { ref, bucket: bucketName(ref), layout: state === undefined ? at.layout : layout, seen: undefined };
}

/** The changes in the times of the place, where a token may take another time than where they were charged. */
function changesAt(at: Place, level: Level, changes: readonly Change[]): readonly Change[] {
  const [from, to] = [shardCount(level.layout), shardCount(at.layout)];
  if (from === to) return changes;
  return changes.map((change) => ({ ...change, chargeUs: acrossLayouts(change.chargeUs, from, to, change.tokens > 0 ? 'up' : 'down') }));
}

/** Sends what gives back to a bucket. Until its answer is there, nothing that was seen of the bucket proves anything. */
async function whileReturning<T>({ knowledge, clock }: TakeParts, bucket: string, send: () => Promise<T>): Promise<T> {
  knowledge.beginReturn(bucket);
  let isAnswered = false;
  try {
    const sent = await send();
    isAnswered = true;
    return sent;
  } finally {
    knowledge.endReturn(bucket, isAnswered, clock.nowUs());
  }
}

function prepareChanges(
  { ref, layout, seen }: Place,
  changes: readonly Change[],
  attempt: number,
  nowUs: number,
  request: RequestId | undefined,
): { readonly write: BucketWrite } {
  const timings = changes.map(({ limit }) => timingOf(limit));
  const moves = changes.map((change) => moveFor(change, seen, attempt, nowUs));
  const named = request === undefined ? {} : { request };
  return { write: { ref, nowUs, ttlSec: ttlSecFor(timings, seen, nowUs, { shard: ref.shard, layout }), layout, ...named, moves } };
}

function moveFor({ limit, tokens, chargeUs }: Change, seen: BucketState | undefined, attempt: number, nowUs: number): Move {
  const own = timingOf(limit);
  const held = seen?.limits.get(limit.name);
  const timing = timingIn(own, held?.scale);
  const { scale } = timing;
  if (tokens > 0) {
    const debitUs = debitInScale(chargeUs, own.scale, scale);
    const fromUs = insistFromUs(attempt, held?.tatUs, nowUs);
    if (fromUs !== undefined) return insistChargeMove(limit.name, timing, tokens, debitUs, fromUs, nowUs);
    return chargeMove(limit.name, timing, isStale(timing, held?.tatUs, nowUs) ? 'idle' : 'busy', tokens, debitUs, nowUs);
  }
  // Somebody took from this limit before, so it is there, unless the item has expired since.
  if (attempt > 1 && held === undefined) return { form: 'revive', limit: limit.name, tokens: -tokens, scale };
  return { form: 'credit', limit: limit.name, tokens: -tokens, chargeUs: creditInScale(chargeUs, own.scale, scale), scale };
}

/** The times by which a bucket of another scale is charged. What its own limit pays for a lag is not known: none is allowed. */
function timingIn(own: Timing, scale: string | undefined): Timing {
  return scale === undefined || scale === own.scale ? own : { ...own, scale, deadBandUs: 0 };
}
