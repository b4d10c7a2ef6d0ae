import {
  type BucketState,
  type BucketWrite,
  formFor,
  guessForm,
  insistMove,
  isStale,
  needsLongerTtl,
  type TakeMove,
  takeMove,
  ttlSecFor,
} from '@millrace/core';
import { insistFromUs, MAX_WRITES, restlessBucket } from './insist.js';
import type { BucketKnowledge } from './knowledge.js';
import type { Level } from './level.js';
import { checkDeadline, type EngineParts, sendWrite } from './send.js';

/** How a take at one level ended. */
export type TakeResult =
  | { readonly kind: 'taken'; readonly level: Level; readonly state: BucketState; readonly nowUs: number; readonly charges: Charges }
  | { readonly kind: 'exhausted'; readonly level: Level; readonly state: BucketState | undefined; readonly nowUs: number }
  /** The bucket has met a newer configuration than this process knows. */
  | { readonly kind: 'stale'; readonly level: Level; readonly version: number }
  | { readonly kind: 'failed'; readonly level: Level; readonly error: unknown };

/** The moves by which a level was taken from, one for each debit. */
type Charges = readonly TakeMove[];

export interface TakeParts extends EngineParts {
  readonly knowledge: BucketKnowledge;
  /** Until when a call that begins now may go on sending requests. */
  readonly newDeadlineMs: () => number;
}

/**
 * Takes all of a level's tokens in one conditional write, or none.
 *
 * A wrong guess of the form is followed by another write with exact knowledge, because the refusal brought the state. A
 * refusal that means exhaustion ends it at once, judged by the time of the refused write: judging by a later time would
 * write again whenever something trickled in during the round trip.
 */
export async function take(parts: TakeParts, level: Level, deadlineMs: number): Promise<TakeResult> {
  try {
    for (let attempt = 1; attempt <= MAX_WRITES; attempt += 1) {
      if (attempt > 1) checkDeadline(parts, deadlineMs);
      const { write, guesses, outcome } = await sendWrite(parts, (now) => prepareTake(parts.knowledge, level, attempt, now), deadlineMs);
      const { nowUs } = write;
      learn(parts.knowledge, level, guesses, outcome.kind, outcome.state, nowUs);

      if (outcome.kind === 'written') {
        await lengthenLife(parts, level, outcome.state, deadlineMs);
        return { kind: 'taken', level, state: outcome.state, nowUs, charges: guesses.map(({ move }) => move) };
      }
      const met = outcome.state?.configVersion;
      if (level.configVersion !== undefined && met !== undefined && met > level.configVersion)
        return { kind: 'stale', level, version: met };
      if (isExhausted(level, outcome.state, nowUs)) return { kind: 'exhausted', level, state: outcome.state, nowUs };
      parts.stats.add('branchMisses');
    }
    throw restlessBucket(level.entity, level.resource);
  } catch (error) {
    // Whatever it is, the other levels have to be given back before anybody hears of it.
    return { kind: 'failed', level, error };
  }
}

interface Guess {
  readonly move: TakeMove;
  /** Nothing recent was known: what is found now teaches. */
  readonly stale: boolean;
}

function guessForms(knowledge: BucketKnowledge, level: Level, nowUs: number, attempt: number): readonly Guess[] {
  const seen = knowledge.seen(level.bucket);
  return level.debits.map(({ limit, timing, tokens, chargeUs }) => {
    const seenUs = seen?.limits.get(limit.name)?.tatUs;
    const stale = isStale(timing, seenUs, nowUs);
    const fromUs = insistFromUs(attempt, seenUs, nowUs);
    if (fromUs !== undefined) return { move: insistMove(limit.name, timing, tokens, chargeUs, fromUs, nowUs), stale: false };
    // After a refusal the state is exact, and what was learned about the bucket's habits says no more than it.
    const share = attempt > 1 ? 0 : knowledge.busyShare(level.bucket, limit.name);
    const form = guessForm(timing, seenUs, share, nowUs, chargeUs);
    return { move: takeMove(limit.name, timing, form, tokens, chargeUs, nowUs), stale: stale && attempt === 1 };
  });
}

interface PreparedTake {
  readonly guesses: readonly Guess[];
  readonly write: BucketWrite;
}

function prepareTake(knowledge: BucketKnowledge, level: Level, attempt: number, nowUs: number): PreparedTake {
  const guesses = guessForms(knowledge, level, nowUs, attempt);
  const timings = level.debits.map((debit) => debit.timing);
  const write: BucketWrite = {
    ref: level.ref,
    nowUs,
    ttlSec: ttlSecFor(timings, knowledge.seen(level.bucket), nowUs),
    ...(level.configVersion === undefined ? {} : { configVersion: level.configVersion }),
    moves: guesses.map(({ move }) => move),
  };
  return { guesses, write };
}

function learn(
  knowledge: BucketKnowledge,
  level: Level,
  guesses: readonly Guess[],
  kind: 'written' | 'refused',
  state: BucketState | undefined,
  nowUs: number,
): void {
  knowledge.note(level.bucket, state);
  level.debits.forEach(({ limit, timing }, index) => {
    const guess = guesses[index];
    if (guess === undefined || !guess.stale) return;
    // A write that landed tells by its form what it found; a refusal brought the state itself.
    const found = kind === 'written' ? guess.move.form === 'busy' : !isStale(timing, state?.limits.get(limit.name)?.tatUs, nowUs);
    knowledge.learn(level.bucket, limit.name, found);
  });
}

function isExhausted(level: Level, state: BucketState | undefined, nowUs: number): boolean {
  return level.debits.some(
    ({ limit, timing, chargeUs }) => formFor(timing, state?.limits.get(limit.name)?.tatUs, nowUs, chargeUs) === undefined,
  );
}

/**
 * Puts off an item's expiry where its debt is deeper than the writer knew. Each writer looks at the state that its own
 * write left, so the last one always leaves it right; a failure is left to the next writer.
 */
export async function lengthenLife(parts: EngineParts, level: Pick<Level, 'ref'>, state: BucketState, deadlineMs: number): Promise<void> {
  if (!needsLongerTtl(state)) return;
  const prepare = (nowUs: number) => ({ write: { ref: level.ref, nowUs, ttlSec: ttlSecFor([], state, nowUs), moves: [] } });
  // Whatever goes wrong here, the write before it has happened, and its tokens are the caller's.
  await sendWrite(parts, prepare, deadlineMs).catch(() => undefined);
}
