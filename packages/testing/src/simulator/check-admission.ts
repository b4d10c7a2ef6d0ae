import type { Limit } from '@millrace/core';
import type { Executed } from './history.js';

/** How far an admission may exceed C + r·w: what clocks and delays explain, and less than one token of rounding. */
export interface Tolerance {
  readonly skewUs: number;
  readonly delayUs: number;
}

/**
 * I1, I7, I9: judges what one limit of one bucket admitted, by arithmetic that shares nothing with core's.
 *
 * `level` is the largest excess of any interval that ends now: what was taken in it less what flowed back in it (the
 * recursion of Lindley). No interval may hold more than the capacity and what flowed back, so no take may lift the
 * level above the capacity. A charge that settles a lease may: then nothing is admitted until the debt has flowed back.
 */
export function checkAdmission(limit: Limit, executed: readonly Executed[], tolerance: Tolerance): string[] {
  const perUs = limit.refill / (limit.periodMs * 1000);
  const slack = perUs * (2 * tolerance.skewUs + tolerance.delayUs) + 1;
  const broken: string[] = [];
  let level = 0;
  let lastUs = 0;
  for (const { atUs, write, applied } of executed) {
    const move = write.moves.find((candidate) => candidate.limit === limit.name);
    if (!applied || move === undefined || move.form === 'rescale' || move.form === 'drop') continue;
    level = Math.max(0, level - (atUs - lastUs) * perUs);
    lastUs = atUs;
    if (move.form === 'credit' || move.form === 'revive') {
      level = Math.max(0, level - move.tokens);
      continue;
    }
    level += move.tokens;
    // A charge in the busy form has no upper bound. In the idle form it looks like a take, and in these worlds is small.
    const isAcquire = move.form === 'idle' || move.toUs !== undefined;
    if (isAcquire && level > limit.capacity + slack + 1e-6) {
      broken.push(
        `I1 "${limit.name}" admitted ${(level - limit.capacity).toFixed(3)} tokens beyond its capacity (tolerance ${slack.toFixed(3)})`,
      );
    }
  }
  return broken;
}
