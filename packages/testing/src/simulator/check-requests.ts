import { add, creditKey, type Executed, type History } from './history.js';
import { levelsOf, type Scenario } from './scenario.js';

/**
 * I5: a request that a bucket remembers counts once, whether its sender or the network delivers it again. One that counted
 * again must have been forgotten, because another request had used its slot in between.
 */
export function checkRequests(executed: readonly Executed[], entity: string): string[] {
  const lastInSlot = new Map<number, number>();
  for (const { write, applied } of executed) {
    if (!applied || write.request === undefined) continue;
    const { slot, id } = write.request;
    if (lastInSlot.get(slot) === id) return [`I5 a request counted twice at ${entity} though its slot remembered it`];
    lastInSlot.set(slot, id);
  }
  return [];
}

/** Tokens of a limit that were taken again by requests that their bucket had forgotten: no caller knows of them. */
export function takenAgain(executed: readonly Executed[], limit: string): number {
  const seen = new Set<number>();
  let tokens = 0;
  for (const { write, applied } of executed) {
    if (!applied || write.request === undefined) continue;
    if (seen.has(write.request.id)) tokens += takenBy(write, limit);
    seen.add(write.request.id);
  }
  return tokens;
}

/** Tokens of a limit that nobody may know to be gone: debits that nobody was answered, and credits that never arrived. */
export function adrift({ creditsSent }: History, executed: readonly Executed[], entity: string, limit: string): number {
  let tokens = creditsSent.get(creditKey(entity, limit)) ?? 0;
  for (const { write, applied, heard } of executed) {
    if (applied) tokens += (heard ? 0 : takenBy(write, limit)) - returnedBy(write, limit);
  }
  return tokens;
}

/**
 * I6: a credit counts at most once, because it is sent at most once where it may have arrived: no more is ever sent back
 * than callers had reason to give back.
 */
export function checkCredits(history: History, scenario: Scenario): string[] {
  const { spreading, changes, prefetch } = scenario;
  if (spreading !== undefined || changes !== undefined || prefetch !== undefined) return checkCreditsOfTakes(history, scenario);
  const owed = new Map<string, number>();
  for (const { entity, amounts, returned, ending } of history.claims) {
    const levels = levelsOf(scenario, entity);
    for (const limit of Object.keys(amounts)) {
      // Of an acquire that was cut off, other levels may have been given back before.
      const cutOff = ending === 'pending' && levels.length > 1 ? (amounts[limit] ?? 0) : 0;
      for (const level of levels) add(owed, creditKey(level, limit), cutOff + (returned.get(limit) ?? 0));
    }
  }
  return overpaid(history, owed);
}

/**
 * The same where buckets are spread, or limits change: what a request was given at some items, or levels, is given back
 * where another refuses, as often as it is tried again. Or tokens are taken ahead, and what is left of them is given back.
 * So what was taken and is nobody's may have been given back, beside what callers gave back.
 */
function checkCreditsOfTakes(history: History, scenario: Scenario): string[] {
  const owed = takenInAll(history);
  for (const { entity, amounts, returned, ending } of history.claims) {
    // Before anybody knew of the parent, an acquire need not have charged it.
    for (const level of scenario.createdAt === 0 ? levelsOf(scenario, entity) : [entity]) {
      for (const [limit, tokens] of Object.entries(amounts)) {
        const kept = ending === 'admitted' ? tokens - (returned.get(limit) ?? 0) : 0;
        add(owed, creditKey(level, limit), -kept);
      }
    }
  }
  return overpaid(history, owed);
}

/** What takes took, by bucket and limit; what settles a lease knows no configuration. */
function takenInAll({ executed }: History): Map<string, number> {
  const taken = new Map<string, number>();
  for (const { write, applied } of executed) {
    if (!applied || write.configVersion === undefined) continue;
    for (const move of write.moves) add(taken, creditKey(write.ref.entity, move.limit), takenBy(write, move.limit));
  }
  return taken;
}

function overpaid(history: History, owed: ReadonlyMap<string, number>): string[] {
  return [...history.creditsSent].flatMap(([key, tokens]) => {
    const [entity, limit] = key.split('\n');
    const most = owed.get(key) ?? 0;
    return tokens <= most ? [] : [`I6 "${limit}" of ${entity}: ${tokens} tokens were sent back, callers gave back ${most} at most`];
  });
}

function takenBy({ moves }: Executed['write'], limit: string): number {
  return moves.reduce((sum, move) => sum + (move.limit === limit && (move.form === 'busy' || move.form === 'idle') ? move.tokens : 0), 0);
}

function returnedBy({ moves }: Executed['write'], limit: string): number {
  return moves.reduce(
    (sum, move) => sum + (move.limit === limit && (move.form === 'credit' || move.form === 'revive') ? move.tokens : 0),
    0,
  );
}
