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
): Promise<P & { readonly outcome: WriteOutcome }> {
  let isUnanswered = debit?.lost !== undefined;
  const isNamed = debit !== undefined && parts.techniques.requestIds;
  try {
    return await withRetries(parts, deadlineMs, isNamed ? 'unknown' : 'no', async () => {
      const prepared = prepare(parts.clock.nowUs());
      const sent = parts.hedging?.write(prepared.write, deadlineMs) ?? parts.buckets.write(prepared.write);
      const outcome = await sent.catch((error: unknown) => {
        if (error instanceof StoreFailure && error.reason === 'hot-key') parts.hotItems.set(bucketName(prepared.write.ref), true);
        if (error instanceof StoreFailure && error.applied === 'unknown') {
          isUnanswered = true;
          // One without the name, that makes ready for the debit, is never what the bucket turns out to have done.
          if (prepared.write.request !== undefined && debit !== undefined) debit.lost ??= prepared;
        }
        throw error;
      });
      if (outcome.kind === 'written') return { ...prepared, outcome };
      parts.stats.add('refusedWrites');
      const { state } = outcome;
      if (state === undefined || !hasApplied(state, prepared.write.request)) return { ...prepared, outcome };
      // Where none was lost, the other copy of a slow write has landed.
      if (debit?.lost !== undefined) parts.stats.add('recoveredReplies');
      return { ...(debit?.lost ?? prepared), outcome: { kind: 'written', state } };
    });
  } catch (error) {
    if (isUnanswered) parts.stats.add('lostReplies');
    throw error;
  }
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
      if (!(error instanceof StoreFailure)) throw error;
      const harmless = PASSING.has(error.reason) && (error.applied === 'no' || repeatable === 'unknown');
      const delayMs = parts.random() * FIRST_DELAY_MS * 2 ** retry;
      if (!harmless || retry === MAX_RETRIES || parts.clock.nowMs() + delayMs > deadlineMs) throw error;
      parts.stats.add('retries');
      await parts.sleep(delayMs);
    }
  }
}

/** Failures that may pass by themselves; a missing table or key does not. */
const PASSING: ReadonlySet<StoreFailure['reason']> = new Set(['throttled', 'hot-key', 'timeout', 'network', 'server']);
