import { StoreFailure } from '@millrace/core';
import { Holding } from './holding.js';
import type { Level } from './level.js';
import type { CountedResult, LevelTaken } from './level-result.js';
import type { Taken, TakeParts } from './take.js';

/**
 * Gives back what was taken at a level, once, with time of its own: the acquire's may be over. A credit that fails leaks
 * tokens, which come back at the limit's rate.
 */
export async function giveBackShares(parts: TakeParts, result: LevelTaken | CountedResult): Promise<void> {
  const places =
    result.kind === 'taken'
      ? result.shares.filter((share) => parts.ahead?.takeBack(share) !== true).map(({ level }) => level)
      : [result.level];
  if (places.length === 0) return;
  try {
    await new Holding(result.level, result.kind, places).giveBack(parts, parts.newDeadlineMs());
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
  }
}

/** The items that something was taken from; what was only counted is on the first. */
export function sharesOf(result: LevelTaken | CountedResult): readonly Level[] {
  if (result.kind === 'counted') return [result.level];
  const places: Level[] = [];
  for (let index = 0; index < result.shares.length; index += 1) places.push((result.shares[index] as Taken).level);
  return places;
}
