import {
  type BucketState,
  type BucketStore,
  type BucketWrite,
  bucketName,
  type Clock,
  hasApplied,
  type Random,
  type Sleep,
  StoreFailure,
  type WriteOutcome,
} from '@millrace/core';
import type { BoundedMap } from './bounded-map.js';
import type { Hedging } from './hedge.js';
import type { MonotonicClock } from './monotonic-clock.js';
import type { Debit, RequestIds } from './request-ids.js';
import type { Stats } from './stats.js';
import type { Techniques } from './techniques.js';

/** What it takes to try again. */
export interface RetryParts {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly stats: Stats;
}

/** What the engine's steps share. */
export interface EngineParts extends RetryParts {
  readonly buckets: BucketStore;
  readonly clock: MonotonicClock;
  readonly requestIds: RequestIds;
  /** Items that DynamoDB has throttled by their key, until somebody sees to it. */
  readonly hotItems: BoundedMap<true>;
  /** Sends the slowest debits a second time; absent where none is. */
  readonly hedging?: Hedging;
  readonly techniques: Techniques;
}

const MAX_RETRIES = 4;
const FIRST_DELAY_MS = 20;

/** A write, and whatever its maker wants to know again when it is answered. */
interface Prepared {
  readonly write: BucketWrite;
}

/** A write that was answered, and its answer. */
interface Sent<P> {
  readonly prepared: P;
  readonly outcome: WriteOutcome;
}

/**
 * Sends one write. If the store says that it changed nothing (a throttle, a refused connection) it is sent again, after a
 * random wait that doubles, and never past the deadline.
 *
 * Where the reply is lost it may have happened. A debit goes again by its name: the bucket refuses what it has done
 * already, and that refusal stands for the reply. A credit is never sent again: it would mint.
 *
 * Each time it is made anew from the time that it is then. A write that still said the time before the wait would set a
 * full bucket to a moment that has passed, and what flows in a wait would be admitted twice.
 */
export async function sendWrite<P extends Prepared>(
  parts: EngineParts,
  prepare: (nowUs: number) => P,
  deadlineMs: number,
  debit?: Debit<P>,
): Promise<Sent<P>> {
  let isUnanswered = debit?.lost !== undefined;
  const isNamed = debit !== undefined && parts.techniques.requestIds;
  const repeatable = isNamed ? 'unknown' : 'no';
  try {
    for (let retry = 0; ; retry += 1) {
      const prepared = prepare(parts.clock.nowUs());
      try {
        const outcome = await (parts.hedging?.write(prepared.write, deadlineMs) ?? parts.buckets.write(prepared.write));
        return answered(parts, prepared, outcome, debit);
      } catch (error) {
        if (noteFailure(parts, prepared, error, debit)) isUnanswered = true;
        await pauseAfter(error, parts, retry, deadlineMs, repeatable);
      }
    }
  } catch (error) {
    if (isUnanswered) parts.stats.add('lostReplies');
    throw error;
  }
}

/** Notes why a write was not answered. True if it may have happened all the same. */
function noteFailure<P extends Prepared>({ hotItems }: EngineParts, prepared: P, error: unknown, debit: Debit<P> | undefined): boolean {
  if (!(error instanceof StoreFailure)) return false;
  const { ref, request } = prepared.write;
  if (error.reason === 'hot-key') hotItems.set(bucketName(ref), true);
  if (error.applied === 'no') return false;
  // One without the name, that makes ready for the debit, is never what the bucket turns out to have done.
  if (request !== undefined && debit !== undefined) debit.lost ??= prepared;
  return true;
}

/** What the answer to a write means: a refusal by its own name stands for a reply that was lost. */
function answered<P extends Prepared>(parts: EngineParts, prepared: P, outcome: WriteOutcome, debit: Debit<P> | undefined): Sent<P> {
  if (outcome.kind === 'written') return { prepared, outcome };
  parts.stats.add('refusedWrites');
  const { state } = outcome;
  if (state === undefined || !hasApplied(state, prepared.write.request)) return { prepared, outcome };
  // Where none was lost, the other copy of a slow write has landed.
  if (debit?.lost !== undefined) parts.stats.add('recoveredReplies');
  return { prepared: debit?.lost ?? prepared, outcome: { kind: 'written', state } };
}

/** Ends a call that has guessed wrong so often, or waited so long, that its time is over. */
export function checkDeadline(parts: EngineParts, deadlineMs: number): void {
  if (parts.clock.nowMs() > deadlineMs) throw new StoreFailure('timeout', 'no', 'the deadline of the call has passed');
}

/** Reads a bucket. A read changes nothing, so it may always be sent again. */
export async function sendRead(parts: EngineParts, ref: BucketWrite['ref'], deadlineMs: number): Promise<BucketState | undefined> {
  return withRetries(parts, deadlineMs, 'unknown', () => parts.buckets.read(ref));
}

/** Runs `request`, again where that is harmless. `repeatable` says what kind of failure may be followed by another try. */
export async function withRetries<T>(
  parts: RetryParts,
  deadlineMs: number,
  repeatable: StoreFailure['applied'],
  request: () => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await request();
    } catch (error) {
      await pauseAfter(error, parts, retry, deadlineMs, repeatable);
    }
  }
}

/** Waits before the next try; throws what went wrong where there is to be none. */
async function pauseAfter(
  error: unknown,
  parts: RetryParts,
  retry: number,
  deadlineMs: number,
  repeatable: StoreFailure['applied'],
): Promise<void> {
  if (!(error instanceof StoreFailure)) throw error;
  const harmless = PASSING.has(error.reason) && (error.applied === 'no' || repeatable === 'unknown');
  const delayMs = parts.random() * FIRST_DELAY_MS * 2 ** retry;
  if (!harmless || retry === MAX_RETRIES || parts.clock.nowMs() + delayMs > deadlineMs) throw error;
  parts.stats.add('retries');
  await parts.sleep(delayMs);
}

/** Failures that may pass by themselves; a missing table or key does not. */
const PASSING: ReadonlySet<StoreFailure['reason']> = new Set(['throttled', 'hot-key', 'timeout', 'network', 'server']);
