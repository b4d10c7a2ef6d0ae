import { type Limit, shardCount, shardTiming, timingOf } from '@millrace/core';
import type { Executed } from './history.js';
import { ItemDebts } from './item-debts.js';

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
 *
 * I12: of a bucket that is spread over several items, what all of them admit is judged together; the steps of a split or
 * a merge admit nothing. What an item lacks beyond its share is its own affair, so that others may give what they have.
 */
export function checkAdmission(limit: Limit, executed: readonly Executed[], tolerance: Tolerance): string[] {
  const perUs = limit.refill / (limit.periodMs * 1000);
  const slack = perUs * (2 * tolerance.skewUs + tolerance.delayUs) + 1;
  const invariant = executed.some(({ write }) => write.ref.shard > 0) ? 'I12' : 'I1';
  const broken: string[] = [];
  const debts = new ItemDebts(limit.name);
  let level = 0;
  let lastUs = 0;
  for (const done of executed) {
    debts.note(done);
    const move = judgedMove(done, limit.name);
    if (move === undefined) continue;
    level = Math.max(0, level - (done.atUs - lastUs) * perUs);
    lastUs = done.atUs;
    level = Math.max(0, level + tokensOf(move));
    if (!isBounded(move)) continue;
    const { reserved, most, bound } = boundOf(limit, move, done.write, tolerance.waitUs ?? 0);
    if (tolerance.waitUs !== undefined && reserved > most + 1)
      broken.push(
        `${invariant} "${limit.name}" reserved ${reserved.toFixed(3)} tokens ahead, the longest wait is worth ${most.toFixed(3)}`,
      );
    const excess = debts.excess(level - bound - slack, done, limit.capacity);
    if (excess > 1e-6)
      broken.push(
        `${invariant} "${limit.name}" admitted ${(excess + slack).toFixed(3)} tokens beyond its capacity (tolerance ${slack.toFixed(3)})`,
      );
  }
  return broken;
}

export type JudgedMove = Exclude<Move, { form: 'rescale' | 'drop' }>;
export type BoundedMove = Extract<Move, { form: 'busy' | 'idle' }>;

/** By what a write took of a limit, or gave back. Steps that only bring an item to another layout or scale do neither. */
export function judgedMove({ write, applied }: Executed, limit: string): JudgedMove | undefined {
  if (!applied || write.reshape !== undefined) return undefined;
  const move = write.moves.find((candidate) => candidate.limit === limit);
  return move?.form === 'rescale' || move?.form === 'drop' ? undefined : move;
}

/** By how much it makes the bucket emptier. */
export function tokensOf({ form, tokens }: JudgedMove): number {
  return form === 'credit' || form === 'revive' ? -tokens : tokens;
}

/** Whether it had to ask. A charge in the busy form has no upper bound; in the idle form it looks like a take, and in these worlds is small. */
export function isBounded(move: JudgedMove): move is BoundedMove {
  return move.form === 'idle' || (move.form === 'busy' && move.toUs !== undefined);
}

/** The level that a take may lift its bucket to, and what of it is ahead of its time: at most what its callers may wait for. */
export function boundOf(
  limit: Limit,
  move: BoundedMove,
  { nowUs, layout }: Executed['write'],
  waitUs: number,
): { readonly bound: number; readonly reserved: number; readonly most: number } {
  const perUs = limit.refill / (limit.periodMs * 1000);
  const items = layout === undefined ? 1 : shardCount(layout);
  // By its own condition; of core it only takes what one that does not wait would say.
  const aheadUs = (move.toUs ?? nowUs) + move.chargeUs - nowUs;
  const reserved = Math.max(0, (aheadUs - shardTiming(timingOf(limit), items).busyToleranceUs) * perUs);
  const most = perUs * waitUs;
  return { reserved, most, bound: limit.capacity + Math.min(reserved, most) };
}
