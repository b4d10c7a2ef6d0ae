import type { LimitStatus } from '@millrace/core';
import type { Caller } from './bucket-queue.js';
import { provenStatuses } from './exhausted.js';
import { giveBackShares } from './give-back.js';
import type { Level } from './level.js';
import type { CountedResult, LevelTaken } from './level-result.js';
import { type QueuedParts, takeOrCount } from './shadow.js';
import { statusOfDebit } from './shard-level.js';
import type { Refused, TakeParts } from './take.js';

/** How one level ended. */
export type LevelResult = LevelTaken | Refused | CountedResult;

/** How an acquire over all its levels ended. */
export type CascadeResult =
  | { readonly kind: 'taken'; readonly results: readonly LevelResult[] }
  | { readonly kind: 'exhausted'; readonly statuses: readonly LimitStatus[]; readonly isLocal: boolean }
  | { readonly kind: 'stale'; readonly entity: string; readonly version: number }
  /** Some level gave no answer. What the others took is still held: the caller decides whether to keep it. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly results: readonly LevelResult[] };

/**
 * Takes at all levels in parallel, one round trip for any depth. If one refuses, what the others took is given back,
 * once: an acquire takes at every level or at none.
 */
export async function takeCascade(parts: QueuedParts, levels: readonly Level[], caller: Caller): Promise<CascadeResult> {
  const asked = levels.every(isAsked) ? levels : levels.filter(isAsked);
  const proven = parts.techniques.localRejections ? provenStatuses(parts, asked) : undefined;
  if (proven !== undefined) {
    parts.stats.add('localRejections');
    noteSpin(parts, asked);
    return { kind: 'exhausted', statuses: proven, isLocal: true };
  }
  // Most have one level, and what waits for several at once costs as much as the rest of the way.
  const only = asked.length === 1 ? asked[0] : undefined;
  const results =
    only === undefined
      ? await Promise.all(asked.map((level) => takeOrCount(parts, level, caller)))
      : [await takeOrCount(parts, only, caller)];
  if (results.every(isGiven)) return { kind: 'taken', results };

  // A level that said no outweighs one that said nothing: the request cannot be admitted, whatever the other would say.
  if (results.some((result) => result.kind === 'exhausted')) {
    await giveBack(parts, results);
    return { kind: 'exhausted', statuses: results.flatMap(statusesOf), isLocal: false };
  }
  const stale = results.find((result) => result.kind === 'stale');
  if (stale !== undefined) {
    await giveBack(parts, results);
    return { kind: 'stale', entity: stale.level.entity, version: stale.version };
  }
  const failed = results.find((result) => result.kind === 'failed');
  return failed === undefined ? { kind: 'taken', results } : { kind: 'failed', error: failed.error, results };
}

function isAsked({ debits, mode }: Level): boolean {
  return debits.length > 0 && mode !== 'bypass';
}

function isGiven({ kind }: LevelResult): boolean {
  return kind === 'taken' || kind === 'counted';
}

function noteSpin({ spins, stats, clock, onSpin }: QueuedParts, [level]: readonly Level[]): void {
  if (level === undefined || !spins.note(level.bucket, clock.nowUs())) return;
  stats.add('spins');
  onSpin(level.entity, level.resource);
}

/** Gives back what was taken, each level once. */
export async function giveBack(parts: TakeParts, results: readonly LevelResult[]): Promise<void> {
  const taken = results.filter((result) => result.kind === 'taken' || result.kind === 'counted');
  await Promise.all(taken.map((result) => giveBackShares(parts, result)));
}

/** How a level's limits stand towards the request; where the level had already taken, as they were before it. */
function statusesOf(result: LevelResult): LimitStatus[] {
  if (result.kind === 'exhausted')
    return result.level.debits.map((debit) => statusOfDebit(result.level, debit, result.state, result.nowUs));
  // Where all items were charged, each says the same of the whole request.
  const [share] = result.kind === 'taken' ? result.shares : [];
  if (share === undefined) return [];
  const { level, state, nowUs, charges } = share;
  return level.debits.map((debit, index) => {
    const { limit } = debit;
    const [move, held] = [charges[index], state.limits.get(limit.name)];
    // The idle form lands on a full bucket; how long it had been full, nobody knows, and nothing depends on it.
    const wasFull = move === undefined || held === undefined || move.form === 'idle';
    const before = wasFull ? undefined : { ...state, limits: new Map([[limit.name, { ...held, tatUs: held.tatUs - move.chargeUs }]]) };
    return statusOfDebit(level, debit, before, nowUs);
  });
}
