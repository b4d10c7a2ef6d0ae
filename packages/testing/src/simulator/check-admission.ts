import { type Limit, timingOf } from '@millrace/core';
import type { Executed } from './history.js';

type Move = Executed['write']['moves'][number];

/** How far an admission may exceed C + r·w: what clocks and delays explain, and less than one token of rounding. */
export interface Tolerance {
  readonly skewUs: number;
  readonly delayUs: number;
  /** The longest that any caller is ready to wait. @default nobody waits */
  readonly waitUs?: number;
}

/**
 * I1, I7, I9: judges what one limit of one bucket admitted, by arithmetic that shares nothing with core's.
 *
 * `level` is the largest excess of any interval that ends now: what was taken in it less what flowed back in it (the
 * recursion of Lindley). No interval may hold more than the capacity and what flowed back, so no take may lift the
 * level above the capacity. A charge that settles a lease may: then nothing is admitted until the debt has flowed back.
 *
 * A take that reserves a place is judged by what flows back until its turn; that callers are told only then is for
 * `checkTurns` to say. No take may reserve more than its callers wait, and one of callers that do not wait reserves nothing.
 */
export function checkAdmission(limit: Limit, executed: readonly Executed[], tolerance: Tolerance): string[] {
  const perUs = limit.refill / (limit.periodMs * 1000);
  const slack = perUs * (2 * tolerance.skewUs + tolerance.delayUs) + 1;
  const most = perUs * (tolerance.waitUs ?? 0);
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
    if (move.form === 'busy' && move.toUs === undefined) continue;
    const reserved = reservedTokens(limit, move, write.nowUs, perUs);
    if (tolerance.waitUs !== undefined && reserved > most + 1)
      broken.push(`I1 "${limit.name}" reserved ${reserved.toFixed(3)} tokens ahead, the longest wait is worth ${most.toFixed(3)}`);
    const bound = limit.capacity + Math.min(reserved, most);
    if (level > bound + slack + 1e-6) {
      broken.push(`I1 "${limit.name}" admitted ${(level - bound).toFixed(3)} tokens beyond its capacity (tolerance ${slack.toFixed(3)})`);
    }
  }
  return broken;
}

/** How many tokens a take is ahead of its time by its own condition; of core it only takes what one that does not wait would say. */
function reservedTokens(limit: Limit, move: Extract<Move, { form: 'busy' | 'idle' }>, nowUs: number, perUs: number): number {
  const aheadUs = (move.toUs ?? nowUs) + move.chargeUs - nowUs;
  return Math.max(0, (aheadUs - timingOf(limit).busyToleranceUs) * perUs);
}
