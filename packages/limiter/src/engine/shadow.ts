import { type BucketState, type BucketWrite, type Move, type RequestId, timingOf, ttlSecFor } from '@millrace/core';
import type { Caller } from './bucket-queue.js';
import { MAX_WRITES, restlessBucket } from './insist.js';
import type { Level } from './level.js';
import type { CountedResult, LevelTaken } from './level-result.js';
import { Debit } from './request-ids.js';
import { checkDeadline, sendWrite } from './send.js';
import { statusOfDebit } from './shard-level.js';
import type { Shards } from './shards.js';
import type { SpinWatch } from './spin-watch.js';
import type { Refused, TakeParts } from './take.js';

/** What it takes to take in turn with others. */
export interface QueuedParts extends TakeParts {
  readonly shards: Shards;
  readonly spins: SpinWatch;
  /** Told of callers that ask again and again without waiting. */
  readonly onSpin: (entity: string, resource: string) => void;
}

/**
 * Takes at a level. One in shadow mode never refuses: what it would have refused is counted, and moves no arrival time,
 * because a request that is refused takes nothing. So its next decisions are those that enforcing would make.
 */
export function takeOrCount(parts: QueuedParts, level: Level, caller: Caller): Promise<LevelTaken | Refused | CountedResult> {
  return level.mode === 'shadow' ? takeInShadow(parts, level, caller) : parts.shards.take(level, caller);
}

async function takeInShadow(parts: QueuedParts, level: Level, caller: Caller): Promise<LevelTaken | Refused | CountedResult> {
  const { deadlineMs } = caller;
  const isOversized = level.debits.some(({ limit, tokens }) => tokens > limit.capacity);
  const seen = parts.knowledge.seen(level.bucket);
  const result: LevelTaken | Refused = isOversized
    ? { kind: 'exhausted', level, state: seen, nowUs: parts.clock.nowUs() }
    : await parts.shards.take(level, caller);
  if (result.kind !== 'exhausted') return result;
  try {
    const statuses = result.level.debits.map((debit) => statusOfDebit(result.level, debit, result.state, result.nowUs));
    // More than the capacity never fits, however full the bucket is.
    const judged = statuses.map((status) => (status.requested > status.capacity ? { ...status, exceeded: true } : status));
    const violations = judged.filter(({ exceeded }) => exceeded);
    parts.stats.add('shadowRejections');
    return { kind: 'counted', level, nowUs: result.nowUs, violations, state: await count(parts, level, result.state, deadlineMs) };
  } catch (error) {
    return { kind: 'failed', level, error };
  }
}

/** Counts a level's tokens as used without charging them. */
async function count(parts: TakeParts, level: Level, found: BucketState | undefined, deadlineMs: number): Promise<BucketState> {
  let seen = found;
  const debit = new Debit<{ readonly write: BucketWrite }>(parts.requestIds, level.bucket);
  try {
    for (let attempt = 1; attempt <= MAX_WRITES; attempt += 1) {
      if (attempt > 1) checkDeadline(parts, deadlineMs);
      const known = seen;
      const prepare = (nowUs: number) => prepareCount(level, known, nowUs, debit.request);
      const { prepared, outcome } = await sendWrite(parts, prepare, deadlineMs, debit);
      parts.knowledge.note(level.bucket, outcome.state, prepared.write.nowUs);
      if (outcome.kind === 'written') return outcome.state;
      seen = outcome.state;
    }
    throw restlessBucket(level.entity, level.resource);
  } finally {
    debit.end();
  }
}

function prepareCount(
  { ref, debits }: Level,
  seen: BucketState | undefined,
  nowUs: number,
  request: RequestId,
): { readonly write: BucketWrite } {
  const moves = debits.map(({ limit, tokens }): Move => {
    const name = limit.name;
    // Any arrival time will do, since none is moved; where there is none yet the limit begins full.
    if (seen?.limits.has(name) === true) return { form: 'busy', limit: name, tokens, chargeUs: 0, fromUs: 0 };
    return { form: 'idle', limit: name, tokens, chargeUs: 0, toUs: nowUs, scale: timingOf(limit).scale };
  });
  const timings = debits.map(({ timing }) => timing);
  return { write: { ref, nowUs, ttlSec: ttlSecFor(timings, seen, nowUs, ref), request, moves } };
}
