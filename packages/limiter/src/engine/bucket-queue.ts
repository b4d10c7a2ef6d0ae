import { StoreFailure } from '@millrace/core';
import { AcquireAborted } from './errors.js';
import type { Level } from './level.js';
import { type TakeParts, type TakeResult, take } from './take.js';
import { admittedInTurn, isAlike, sumOf, waitsUs } from './turns.js';

/** What a caller of a take can still change its mind about while it waits for its turn. */
export interface Caller {
  readonly deadlineMs: number;
  /** Its signal, if it has one. What is aborted before its turn is never sent. */
  readonly signal?: { readonly aborted: boolean; readonly reason?: unknown };
}

/** Takes at a level: from the table, or from what was fetched before. */
export interface LevelTaker {
  take(level: Level, caller: Caller): Promise<TakeResult>;
}

/** So many callers may wait for one bucket; a process that has more of them does not come through anyway. */
const MAX_WAITING = 100_000;
/** So many are taken for by one write. */
const MAX_TOGETHER = 10_000;

interface Waiting {
  readonly caller: Caller;
  readonly level: Level;
  readonly resolve: (result: TakeResult) => void;
}

/** Those who wait for one bucket, in the order in which they came. */
interface Queue {
  readonly waiting: Waiting[];
  /** How many sums in a row did not fit, because other processes had taken what was there. */
  misses: number;
}

/**
 * Group commit: while a write of a bucket is on its way, the callers of this process that come for the same bucket wait,
 * and the next write takes for all of them. Nobody waits for anybody to come: callers of one moment go together, a lone
 * one goes at once.
 *
 * It equals some order of single acquires, first come first served. A request that is too large for what is left is
 * refused in its turn, and those behind it are judged as if it had not come.
 */
export class BucketQueues implements LevelTaker {
  readonly #parts: TakeParts;
  readonly #queues = new Map<string, Queue>();

  constructor(parts: TakeParts) {
    this.#parts = parts;
  }

  /** Takes at a level, in its turn. */
  take(level: Level, caller: Caller): Promise<TakeResult> {
    if (!this.#parts.techniques.groupCommit) return take(this.#parts, level, caller.deadlineMs);
    return new Promise((resolve) => {
      const queue = this.#queues.get(level.bucket);
      if (queue !== undefined && queue.waiting.length >= MAX_WAITING) {
        const error = new StoreFailure(
          'throttled',
          'no',
          `${MAX_WAITING} callers wait for the bucket of "${level.entity}" on "${level.resource}"`,
        );
        resolve({ kind: 'failed', level, error });
        return;
      }
      const waiting: Waiting = { caller, level, resolve };
      if (queue !== undefined) {
        queue.waiting.push(waiting);
        return;
      }
      const opened: Queue = { waiting: [waiting], misses: 0 };
      this.#queues.set(level.bucket, opened);
      void this.#serve(level.bucket, opened);
    });
  }

  /** Serves a bucket until nobody waits. Whatever goes wrong, all who wait hear of it: nobody else would ever answer them. */
  async #serve(bucket: string, queue: Queue): Promise<void> {
    try {
      // Not in this turn: callers that come in the same one are to be taken for together.
      await undefined;
      for (;;) {
        this.#dismiss(queue);
        const head = queue.waiting[0];
        if (head === undefined) break;
        if (queue.waiting.length > 1) {
          await this.#round(bucket, queue, head);
          continue;
        }
        // A round of one caller, as most are: nobody has to be told apart. Whoever comes meanwhile comes behind.
        const result = await take(this.#parts, head.level, head.caller.deadlineMs);
        queue.waiting.shift();
        queue.misses = result.kind === 'exhausted' ? queue.misses + 1 : 0;
        head.resolve(result);
      }
    } catch (error) {
      settle(queue, ({ level }) => ({ kind: 'failed', level, error }));
    } finally {
      this.#queues.delete(bucket);
    }
  }

  /** Sends away those whose time is over and those who have left. Nothing was sent for them. */
  #dismiss(queue: Queue): void {
    const nowMs = this.#parts.clock.nowMs();
    if (!queue.waiting.some((waiting) => isOver(waiting, nowMs))) return;
    settle(queue, (waiting) => {
      if (!isOver(waiting, nowMs)) return undefined;
      const { level, caller } = waiting;
      if (caller.signal?.aborted === true) return { kind: 'failed', level, error: new AcquireAborted(caller.signal.reason) };
      return { kind: 'failed', level, error: new StoreFailure('timeout', 'no', 'the deadline of the call has passed') };
    });
  }

  /** One write for as many of those who wait as are thought to fit, and an answer for all whom its reply decides about. */
  async #round(bucket: string, queue: Queue, head: Waiting): Promise<void> {
    const alike = queue.waiting.filter(({ level }) => isAlike(level, head.level)).slice(0, MAX_TOGETHER);
    const together = this.#chosen(bucket, alike, head, queue.misses);
    const members = new Set(together);
    const level = sumOf(together.map((waiting) => waiting.level) as [Level, ...Level[]]);
    const result = await take(this.#parts, level, Math.max(...together.map(({ caller }) => caller.deadlineMs)));

    if (result.kind !== 'exhausted') {
      // What is taken for one alone says itself when its turn is.
      const waits =
        result.kind === 'taken' && together.length > 1
          ? waitsUs(
              together.map((waiting) => waiting.level),
              result.charges,
              result.state,
              result.nowUs,
            )
          : [];
      const turnOf = new Map(together.map((waiting, index) => [waiting, waits[index] ?? 0]));
      settle(queue, (waiting) => (members.has(waiting) ? resultFor(waiting.level, result, turnOf.get(waiting) ?? 0) : undefined));
    }
    if (result.kind !== 'taken' && result.kind !== 'exhausted') return;
    // Exact as of the reply for all who were there when the write was sent. Those ahead take what there is in the next round;
    // if somebody else has taken it by then, there is none for those behind them either.
    const left = alike.filter((waiting) => result.kind === 'exhausted' || !members.has(waiting));
    const { state, nowUs } = result;
    const fits = admittedInTurn(
      left.map((waiting) => waiting.level),
      state,
      nowUs,
    );
    const refused = new Set(left.filter((_, index) => fits[index] === false));
    settle(queue, (waiting) => (refused.has(waiting) ? { kind: 'exhausted', level: waiting.level, state, nowUs } : undefined));
    queue.misses = result.kind === 'exhausted' ? queue.misses + 1 : 0;
  }

  /** Those who are thought to fit, in the order in which they came; the first at least, so that its refusal tells how things are. */
  #chosen(bucket: string, alike: readonly Waiting[], head: Waiting, misses: number): readonly Waiting[] {
    if (alike.length === 1) return alike;
    const levels = alike.map(({ level }) => level);
    const admitted = admittedInTurn(levels, this.#parts.knowledge.seen(bucket), this.#parts.clock.nowUs());
    const chosen = alike.filter((_, index) => admitted[index] === true);
    // Where other processes are faster each time, a smaller sum is asked for, down to the first alone, which is decided about.
    return chosen.length === 0 ? [head] : chosen.slice(0, Math.max(1, Math.ceil(chosen.length / 2 ** Math.max(0, misses - 1))));
  }
}

/** True of a caller that has left, or whose time is over. */
function isOver({ caller: { signal, deadlineMs } }: Waiting, nowMs: number): boolean {
  return signal?.aborted === true || nowMs > deadlineMs;
}

/** Answers those of a queue for whom there is an answer, and takes them off it. */
function settle({ waiting: all }: Queue, answer: (waiting: Waiting) => TakeResult | undefined): void {
  const staying = all.filter((waiting) => {
    const result = answer(waiting);
    if (result !== undefined) waiting.resolve(result);
    return result === undefined;
  });
  if (staying.length < all.length) all.splice(0, all.length, ...staying);
}

/** What a result for several means for one of them. */
function resultFor(level: Level, result: TakeResult, waitUs: number): TakeResult {
  if (result.kind !== 'taken' || result.level === level) return { ...result, level };
  // What one was charged, whatever an insisting write was charged on top for all of them.
  const charges = level.debits.flatMap((debit) => {
    const move = result.charges.find(({ limit }) => limit === debit.limit.name);
    return move === undefined ? [] : [{ ...move, tokens: debit.tokens, chargeUs: debit.chargeUs }];
  });
  return { ...result, level, charges, waitUs };
}
