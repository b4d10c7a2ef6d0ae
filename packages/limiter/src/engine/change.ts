import { type BucketState, chargeMove, insistChargeMove, isStale, type Limit, type Move, timingOf, ttlSecFor } from '@millrace/core';
import { insistFromUs, MAX_WRITES, restlessBucket } from './insist.js';
import type { Level } from './level.js';
import { checkDeadline, sendWrite } from './send.js';
import { lengthenLife, type TakeParts } from './take.js';

/** A change of one limit: tokens taken (above zero) or given back (below), and the time that they move. */
export interface Change {
  readonly limit: Limit;
  readonly tokens: number;
  readonly chargeUs: number;
}

/** Writes changes that no limit can refuse. A refusal only tells which form each limit needs. */
export async function applyChanges(parts: TakeParts, level: Level, changes: readonly Change[], deadlineMs: number): Promise<BucketState> {
  let seen = parts.knowledge.seen(level.bucket);
  for (let attempt = 1; attempt <= MAX_WRITES; attempt += 1) {
    if (attempt > 1) checkDeadline(parts, deadlineMs);
    const known = seen;
    const { outcome } = await sendWrite(parts, (nowUs) => prepareChanges(level, changes, known, attempt, nowUs), deadlineMs);
    parts.knowledge.note(level.bucket, outcome.state);
    if (outcome.kind === 'written') {
      await lengthenLife(parts, level, outcome.state, deadlineMs);
      return outcome.state;
    }
    // Exact as of the refusal, also where it is that there is no such item.
    seen = outcome.state;
    parts.stats.add('branchMisses');
  }
  throw restlessBucket(level.entity, level.resource);
}

function prepareChanges(level: Level, changes: readonly Change[], seen: BucketState | undefined, attempt: number, nowUs: number) {
  const timings = changes.map(({ limit }) => timingOf(limit));
  const moves = changes.map((change) => moveFor(change, seen, attempt, nowUs));
  return { write: { ref: level.ref, nowUs, ttlSec: ttlSecFor(timings, seen, nowUs), moves } };
}

function moveFor({ limit, tokens, chargeUs }: Change, seen: BucketState | undefined, attempt: number, nowUs: number): Move {
  const timing = timingOf(limit);
  const tatUs = seen?.limits.get(limit.name)?.tatUs;
  if (tokens > 0) {
    const fromUs = insistFromUs(attempt, tatUs, nowUs);
    if (fromUs !== undefined) return insistChargeMove(limit.name, timing, tokens, chargeUs, fromUs, nowUs);
    return chargeMove(limit.name, timing, isStale(timing, tatUs, nowUs) ? 'idle' : 'busy', tokens, chargeUs, nowUs);
  }
  // Somebody took from this limit before, so it is there, unless the item has expired since.
  if (attempt > 1 && tatUs === undefined) return { form: 'revive', limit: limit.name, tokens: -tokens };
  return { form: 'credit', limit: limit.name, tokens: -tokens, chargeUs };
}
