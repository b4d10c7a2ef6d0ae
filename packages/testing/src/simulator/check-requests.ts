import type { Executed } from './history.js';

/**
 * I5: a request that a bucket remembers counts once. One that counted again must have been forgotten, because another
 * writer had used its slot in between.
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
    if (seen.has(write.request.id)) tokens += write.moves.reduce((sum, move) => sum + (move.limit === limit ? tokensOf(move) : 0), 0);
    seen.add(write.request.id);
  }
  return tokens;
}

function tokensOf(move: Executed['write']['moves'][number]): number {
  return move.form === 'busy' || move.form === 'idle' ? move.tokens : 0;
}
