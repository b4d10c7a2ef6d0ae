import {
  type BucketState,
  type BucketWrite,
  guessForm,
  insistMove,
  isForeign,
  isStale,
  layoutOf,
  type RequestId,
  type TakeMove,
  type Timing,
  takeMove,
  ttlSecFor,
  type WriteOutcome,
} from '@millrace/core';
import { insistFromUs, MAX_WRITES, restlessBucket } from './insist.js';
import type { BucketKnowledge } from './knowledge.js';
import type { Level } from './level.js';
import { Debit } from './request-ids.js';
import { needsRescale, Rescaling, SCALE_WRITES } from './rescale.js';
import { checkDeadline, type EngineParts, sendWrite } from './send.js';
import { isAdmitted, waitsUs } from './turns.js';
import { keepUp, needsUpkeep } from './upkeep.js';

/** What was taken from one item. */
export interface Taken {
  readonly kind: 'taken';
  readonly level: Level;
  readonly state: BucketState;
  readonly nowUs: number;
  readonly charges: Charges;
  /** How long it is until the turn of what was taken comes; 0 if it came at once. */
  readonly waitUs: number;
}

/** How a take from one item ended, but for one that was not where it was looked for. */
export type Refused =
  | { readonly kind: 'exhausted'; readonly level: Level; readonly state: BucketState | undefined; readonly nowUs: number }
  /** The bucket has met a newer configuration than this process knows. */
  | { readonly kind: 'stale'; readonly level: Level; readonly version: number }
  | { readonly kind: 'failed'; readonly level: Level; readonly error: unknown };

/** The bucket is spread over other items than this process believed; the item says over how many, if it is there. */
export interface Moved {
  readonly kind: 'moved';
  readonly level: Level;
  readonly state: BucketState | undefined;
}

/** How a take from one item ended. */
export type TakeResult = Taken | Refused | Moved;

/** The moves by which a level was taken from, one for each debit. */
type Charges = readonly TakeMove[];

/** What a process has taken from items ahead of those who will ask for it. */
export interface HeldAhead {
  /**
   * Takes back, without a request, what it gave from memory to an acquire that was refused elsewhere. False where it has
   * done nothing, so that the tokens are to be credited at the store.
   */
  takeBack(share: Taken): boolean;
  /** A state of an item as it is for this process: what it holds in memory has been taken, and is there all the same. */
  ownView(place: Level, state: BucketState): BucketState;
}

export interface TakeParts extends EngineParts {
  readonly knowledge: BucketKnowledge;
  /** What this process holds beside the table, where it takes ahead. */
  readonly ahead?: HeldAhead;
  /** Until when a call that begins now may go on sending requests. */
  readonly newDeadlineMs: () => number;
}

/**
 * Takes all of a level's tokens in one conditional write, or none.
 *
 * A wrong guess of the form is followed by another write with exact knowledge, because the refusal brought the state. A
 * refusal that means exhaustion ends it at once, judged by the time of the refused write: judging by a later time would
 * write again whenever something trickled in during the round trip.
 *
 * Where a rate has changed, the bucket is brought into the new scale before anything is taken, or judged, by it.
 */
export async function take(parts: TakeParts, level: Level, deadlineMs: number): Promise<TakeResult> {
  // One name for all tries: whichever of them happens, it is the one.
  const debit = new Debit<Prepared>(parts.requestIds, level.bucket);
  try {
    const rescaling = new Rescaling(level);
    let misses = 0;
    for (let attempt = 1; attempt <= MAX_WRITES + SCALE_WRITES && misses < MAX_WRITES; attempt += 1) {
      if (attempt > 1) checkDeadline(parts, deadlineMs);
      const knows = { isExact: attempt > 1, misses };
      const { prepared, outcome } = await sendWrite(
        parts,
        (now) => prepare(parts.knowledge, level, rescaling, knows, debit.request, now),
        deadlineMs,
        debit,
      );
      const { guesses } = prepared;
      const { nowUs } = prepared.write;
      learn(parts.knowledge, level, guesses, outcome.kind, outcome.state, nowUs);
      rescaling.note(outcome.kind);

      if (outcome.kind === 'written' && guesses !== undefined) {
        const { state } = outcome;
        if (needsUpkeep(state)) await keepUp(parts, level, state, deadlineMs);
        const charges = guesses.moves;
        return { kind: 'taken', level, state, nowUs, charges, waitUs: waitOf(level, charges, state, nowUs) };
      }
      const end = endOf(level, outcome, nowUs);
      if (end !== undefined) return end;
      if (outcome.kind === 'refused') parts.stats.add('branchMisses');
      if (guesses !== undefined) misses += 1;
    }
    throw restlessBucket(level.entity, level.resource);
  } catch (error) {
    // Whatever it is, the other levels have to be given back before anybody hears of it.
    return { kind: 'failed', level, error };
  } finally {
    debit.end();
  }
}

/** How long it is until the turn of what was taken comes. Who is not ready to wait was admitted at once. */
function waitOf(level: Level, charges: Charges, state: BucketState, nowUs: number): number {
  return level.waitUs === 0 ? 0 : (waitsUs([level], charges, state, nowUs)[0] ?? 0);
}

/** By which form each debit of a level is tried. */
interface Guesses {
  readonly moves: readonly TakeMove[];
  /** By debit: nothing recent was known, so what is found now teaches. */
  readonly stale: readonly boolean[];
}

/** How well a take knows its bucket: exactly once a write was answered. `misses` counts the guesses that were wrong. */
interface Certainty {
  readonly isExact: boolean;
  readonly misses: number;
}

function guessForms(
  knowledge: BucketKnowledge,
  level: Level,
  seen: BucketState | undefined,
  nowUs: number,
  { isExact, misses }: Certainty,
): Guesses {
  const { debits, waitUs } = level;
  const moves: TakeMove[] = [];
  const stale: boolean[] = [];
  // By index: this is done for each write, and an interpreter without a compiler pays for the steps of an iterator.
  for (let index = 0; index < debits.length; index += 1) {
    const { limit, timing, tokens, chargeUs } = debits[index] as Level['debits'][number];
    const held = seen?.limits.get(limit.name);
    const seenUs = held?.tatUs;
    const isForeignScale = held !== undefined && isForeign(held, timing);
    const fromUs = isForeignScale ? undefined : insistFromUs(misses + 1, seenUs, nowUs);
    stale.push(!isForeignScale && fromUs === undefined && !isExact && isStale(timing, seenUs, nowUs));
    if (fromUs !== undefined) {
      moves.push(insistMove(limit.name, timing, tokens, chargeUs, fromUs, nowUs, waitUs));
      continue;
    }
    // After a refusal the state is exact, and what was learned about the bucket's habits says no more than it.
    const share = isExact ? 0 : knowledge.busyShare(level.bucket, limit.name);
    // One of another scale is full, or it would have been rescaled: only the idle form takes it over.
    const form = isForeignScale ? 'idle' : guessForm(timing, seenUs, share, nowUs, chargeUs, waitUs);
    moves.push(takeMove(limit.name, timing, form, tokens, chargeUs, nowUs, waitUs));
  }
  return { moves, stale };
}

interface Prepared {
  readonly write: BucketWrite;
  /** What the write takes; a write that only rescales takes nothing. */
  readonly guesses?: Guesses;
}

function prepare(
  knowledge: BucketKnowledge,
  level: Level,
  rescaling: Rescaling,
  certainty: Certainty,
  request: RequestId,
  nowUs: number,
): Prepared {
  const seen = knowledge.seen(level.bucket);
  const before = rescaling.prepare(seen, nowUs);
  if (before !== undefined) return { write: before };
  const { ref, layout, configVersion, debits } = level;
  const guesses = guessForms(knowledge, level, seen, nowUs, certainty);
  const timings: Timing[] = [];
  for (let index = 0; index < debits.length; index += 1) timings.push((debits[index] as Level['debits'][number]).timing);
  const ttlSec = ttlSecFor(timings, seen, nowUs, { shard: ref.shard, layout });
  return { guesses, write: { ref, nowUs, ttlSec, layout, configVersion, request, moves: guesses.moves } };
}

function learn(
  knowledge: BucketKnowledge,
  { bucket, debits }: Level,
  guesses: Guesses | undefined,
  kind: 'written' | 'refused',
  state: BucketState | undefined,
  nowUs: number,
): void {
  knowledge.note(bucket, state, nowUs);
  if (guesses === undefined) return;
  const { moves, stale } = guesses;
  for (let index = 0; index < debits.length; index += 1) {
    if (stale[index] !== true) continue;
    const { limit, timing } = debits[index] as Level['debits'][number];
    // A write that landed tells by its form what it found; a refusal brought the state itself.
    const found = kind === 'written' ? moves[index]?.form === 'busy' : !isStale(timing, state?.limits.get(limit.name)?.tatUs, nowUs);
    knowledge.learn(bucket, limit.name, found);
  }
}

/** What a write without its tokens says that another one would not change. */
function endOf(level: Level, { kind, state }: WriteOutcome, nowUs: number): TakeResult | undefined {
  if (kind === 'refused' && layoutOf(state) !== level.layout) return { kind: 'moved', level, state };
  const met = state?.configVersion;
  if (met !== undefined && met > level.configVersion) return { kind: 'stale', level, version: met };
  if (isExhausted(level, state, nowUs)) return { kind: 'exhausted', level, state, nowUs };
  return undefined;
}

/** Never said of a bucket in another scale than the level's: it is brought into that first, and judged by what it is then. */
function isExhausted(level: Level, state: BucketState | undefined, nowUs: number): boolean {
  if (needsRescale(level, state, nowUs)) return false;
  return !isAdmitted(level, state, nowUs);
}
