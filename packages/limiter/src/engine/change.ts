import {
  type BucketState,
  type BucketWrite,
  chargeMove,
  creditInScale,
  debitInScale,
  insistChargeMove,
  isStale,
  type Limit,
  type Move,
  type RequestId,
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

/** A change of one limit: tokens taken (above zero) or given back (below), and the time that they move in its scale. */
export interface Change {
  readonly limit: Limit;
  readonly tokens: number;
  readonly chargeUs: number;
}

/**
 * Writes changes that no limit can refuse. A refusal only tells which form each limit needs, and which scale: what settles
 * a lease follows the scale of the bucket, whatever the limit's rate was when the lease was taken.
 */
export async function applyChanges(parts: TakeParts, level: Level, changes: readonly Change[], deadlineMs: number): Promise<BucketState> {
  let seen = parts.knowledge.seen(level.bucket);
  const gives = changes.some(({ tokens }) => tokens < 0);
  if (gives) parts.knowledge.doubt(level.bucket);
  // What gives back must never arrive twice, and a name is forgotten once others have used its slot.
  const debit = gives ? undefined : new Debit<{ readonly write: BucketWrite }>(parts.requestIds, level.bucket);
  try {
    for (let attempt = 1; attempt <= MAX_WRITES; attempt += 1) {
      if (attempt > 1) checkDeadline(parts, deadlineMs);
      const known = seen;
      const prepare = (nowUs: number) => prepareChanges(level, changes, known, attempt, nowUs, debit?.request);
      const { write, outcome } = await sendWrite(parts, prepare, deadlineMs, debit);
      parts.knowledge.note(level.bucket, outcome.state, write.nowUs);
      if (outcome.kind === 'written') {
        await lengthenLife(parts, level, outcome.state, deadlineMs);
        return outcome.state;
      }
      // Exact as of the refusal, also where it is that there is no such item.
      seen = outcome.state;
      parts.stats.add('branchMisses');
    }
    throw restlessBucket(level.entity, level.resource);
  } finally {
    debit?.end();
  }
}

function prepareChanges(
  level: Level,
  changes: readonly Change[],
  seen: BucketState | undefined,
  attempt: number,
  nowUs: number,
  request: RequestId | undefined,
): { readonly write: BucketWrite } {
  const timings = changes.map(({ limit }) => timingOf(limit));
  const moves = changes.map((change) => moveFor(change, seen, attempt, nowUs));
  const named = request === undefined ? {} : { request };
  return { write: { ref: level.ref, nowUs, ttlSec: ttlSecFor(timings, seen, nowUs), ...named, moves } };
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
