import {
  type BucketState,
  type BucketWrite,
  counterBase,
  type LimitState,
  MAX_LIMITS,
  type Move,
  needsLongerTtl,
  ttlSecFor,
} from '@millrace/core';
import type { Level } from './level.js';
import { type EngineParts, sendWrite } from './send.js';

/**
 * Puts off an item's expiry where its debt is deeper than the writer knew. Each writer looks at the state that its own
 * write left, so the last one always leaves it right; a failure is left to the next writer.
 */
export async function lengthenLife(parts: EngineParts, level: Pick<Level, 'ref'>, state: BucketState, deadlineMs: number): Promise<void> {
  if (!needsLongerTtl(state)) return;
  await sendUpkeep(parts, { ref: level.ref }, state, () => [], deadlineMs);
}

/** The most limits that one write drops, which keeps its expressions small. What is left over is left to the next. */
const MOST_DROPPED = 25;

/**
 * Drops limits that the configuration no longer has, once they are full: a full limit and none are the same. It is worth
 * a write only where they have become many, as where names are made up, so that an item cannot grow for ever.
 */
async function dropLeftovers(parts: EngineParts, level: Level, state: BucketState, deadlineMs: number): Promise<void> {
  const known = new Set(level.limits.map(({ name }) => name));
  const leftovers = [...state.limits].filter(([name]) => !known.has(name));
  if (leftovers.length <= MAX_LIMITS) return;
  const drops = (nowUs: number): Move[] =>
    leftovers
      .filter(([, held]) => mayBeDropped(held, nowUs))
      .slice(0, MOST_DROPPED)
      .map(([limit]) => ({ form: 'drop', limit, toUs: nowUs }));
  if (drops(parts.clock.nowUs()).length === 0) return;
  // A writer whose configuration is out of date does not know which limits are left over.
  await sendUpkeep(parts, { ref: level.ref, configVersion: level.configVersion }, state, drops, deadlineMs);
}

/** Whether a state that a take left needs any of the two: hardly one does, and to ask costs no promise. */
export function needsUpkeep(state: BucketState): boolean {
  return state.limits.size > MAX_LIMITS || needsLongerTtl(state);
}

/** Does what a take has found to be due. */
export async function keepUp(parts: EngineParts, level: Level, state: BucketState, deadlineMs: number): Promise<void> {
  await lengthenLife(parts, level, state, deadlineMs);
  await dropLeftovers(parts, level, state, deadlineMs);
}

/** A limit that comes back later counts from its time then. That must not be less than it has counted already. */
function mayBeDropped({ tatUs, used, returned }: LimitState, nowUs: number): boolean {
  const base = counterBase(nowUs);
  return tatUs <= nowUs && used <= base && returned <= base;
}

async function sendUpkeep(
  parts: EngineParts,
  { ref, ...version }: Pick<BucketWrite, 'ref' | 'configVersion'>,
  state: BucketState,
  moves: (nowUs: number) => readonly Move[],
  deadlineMs: number,
): Promise<void> {
  const prepare = (nowUs: number) => ({ write: { ref, nowUs, ttlSec: ttlSecFor([], state, nowUs, ref), ...version, moves: moves(nowUs) } });
  // Whatever goes wrong here, the write before it has happened, and its tokens are the caller's.
  const sent = await sendWrite(parts, prepare, deadlineMs).catch(() => undefined);
  // Somebody may have gone deeper into debt since `state`, and this write has shortened the life that they gave it.
  if (sent?.outcome.kind === 'written') await lengthenLife(parts, { ref }, sent.outcome.state, deadlineMs);
}
