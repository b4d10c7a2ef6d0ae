import { type BucketStore, type BucketWrite, bucketName, hasApplied, type Sleep, StoreFailure, type WriteOutcome } from '@millrace/core';
import { Ending } from './ending.js';
import { checkHedging, HedgeBudget, type HedgingOptions } from './hedge-budget.js';
import type { MonotonicClock } from './monotonic-clock.js';
import type { RequestIds } from './request-ids.js';
import { SlowMark } from './slow-mark.js';
import type { Stats } from './stats.js';

interface HedgeParts {
  readonly buckets: BucketStore;
  readonly clock: MonotonicClock;
  readonly sleep: Sleep;
  readonly stats: Stats;
  readonly requestIds: RequestIds;
}

/** How a copy of a write ended. */
type Answer = { readonly copy: 'first' | 'second' } & ({ readonly outcome: WriteOutcome } | { readonly error: unknown });

/**
 * Sends the slowest debits a second time: the very same write, with the same name, so that the bucket does one of them and
 * refuses the other. Which of the two is answered first does not matter.
 *
 * A second copy costs one write unit, also where it is refused; the budget bounds how many there are. What is slow is what
 * 95 of 100 of this process's latest writes were faster than. Credits, and whatever else has no name, are sent once.
 */
export class Hedging {
  readonly #parts: HedgeParts;
  readonly #floorMs: number;
  readonly #slowMark = new SlowMark();
  readonly #budget: HedgeBudget;

  constructor(parts: HedgeParts, { budget, floorMs }: Required<HedgingOptions>) {
    this.#parts = parts;
    this.#budget = new HedgeBudget(budget);
    this.#floorMs = floorMs;
  }

  /** Sends one write, and a second copy of it if it is slow. Sends none after the deadline. */
  async write(write: BucketWrite, deadlineMs: number): Promise<WriteOutcome> {
    const first = this.#sendFirst(write);
    const patienceMs = this.#patienceMs(write, deadlineMs);
    // While it waited, others may have spent what there was.
    const isHedged = patienceMs !== undefined && (await this.#isLate(first, patienceMs)) && this.#mayHedge(write);
    return isHedged ? this.#race(write, first) : outcomeOf(await first);
  }

  /** How long to wait for the first copy; undefined where there is to be no second one. */
  #patienceMs(write: BucketWrite, deadlineMs: number): number | undefined {
    if (write.request === undefined) return undefined;
    this.#budget.earn();
    const { ms } = this.#slowMark;
    if (ms === undefined || !this.#mayHedge(write)) return undefined;
    // Clocks count whole milliseconds: what took as long as most may have taken one more.
    const patienceMs = Math.max(ms + 1, this.#floorMs);
    return this.#parts.clock.nowMs() + patienceMs > deadlineMs ? undefined : patienceMs;
  }

  #mayHedge({ request }: BucketWrite): boolean {
    // Another request of this process in the same slot could make the bucket forget this one between its two copies.
    if (request === undefined || this.#parts.requestIds.mayBeShared(request.slot)) return false;
    return this.#budget.allows(this.#parts.clock.nowMs());
  }

  async #race(write: BucketWrite, first: Promise<Answer>): Promise<WriteOutcome> {
    const { stats } = this.#parts;
    this.#budget.spend();
    stats.add('hedges');
    const second = this.#send(write, 'second');
    this.#holdSlot(write, first, second);

    const fastest = await Promise.race([first, second]);
    // One that is refused for another reason, or lost, says nothing of its twin, which may be done yet.
    const chosen = isSettled(write, fastest) ? fastest : choose(write, await Promise.all([first, second]));
    void Promise.all([first, second]).then((both) => this.#countRefused(both, chosen));
    if (chosen.copy === 'second' && isSettled(write, chosen)) stats.add('hedgesWon');
    return outcomeOf(chosen);
  }

  /** Until both copies are answered, this process uses another slot for what else it sends to the bucket. */
  #holdSlot({ ref, request }: BucketWrite, ...copies: readonly Promise<Answer>[]): void {
    if (request === undefined) return;
    const { requestIds } = this.#parts;
    const bucket = bucketName(ref);
    requestIds.hold(bucket, request.slot);
    void Promise.all(copies).then(() => requestIds.release(bucket, request.slot));
  }

  /** Refusals are billed, also of the copy that nobody waits for. The chosen one is counted by whom it is for. */
  #countRefused(answers: readonly Answer[], chosen: Answer): void {
    for (const answer of answers) {
      if (answer !== chosen && 'outcome' in answer && answer.outcome.kind === 'refused') this.#parts.stats.add('refusedWrites');
    }
  }

  async #isLate(first: Promise<Answer>, patienceMs: number): Promise<boolean> {
    const answered = new Ending<true>();
    const end = first.then(() => answered.end(true));
    // Not every runtime's sleep can be cut short.
    await Promise.race([end, this.#parts.sleep(patienceMs, answered)]);
    return !answered.aborted;
  }

  async #sendFirst(write: BucketWrite): Promise<Answer> {
    const { clock } = this.#parts;
    const sentMs = clock.nowMs();
    const answer = await this.#send(write, 'first');
    if ('outcome' in answer) this.#slowMark.note(clock.nowMs() - sentMs);
    return answer;
  }

  async #send(write: BucketWrite, copy: Answer['copy']): Promise<Answer> {
    try {
      return { copy, outcome: await this.#parts.buckets.write(write) };
    } catch (error) {
      if (error instanceof StoreFailure && error.reason === 'throttled') this.#budget.stop(this.#parts.clock.nowMs());
      return { copy, error };
    }
  }
}

/** What hedges debits, if that is wanted. */
export function hedgingFor(parts: HedgeParts, wanted: boolean | HedgingOptions | undefined): Hedging | undefined {
  const options = checkHedging(wanted);
  return options === undefined ? undefined : new Hedging(parts, options);
}

function outcomeOf(answer: Answer): WriteOutcome {
  if ('error' in answer) throw answer.error;
  return answer.outcome;
}

/** True if a copy was written, or refused because the other one was. */
function isSettled({ request }: BucketWrite, answer: Answer): boolean {
  return 'outcome' in answer && (answer.outcome.kind === 'written' || hasApplied(answer.outcome.state, request));
}

/**
 * What two copies mean together. One that is written outweighs all; one that may be written outweighs a refusal, and is
 * asked about again by its name. Of two refusals the later one knows more.
 */
function choose(write: BucketWrite, answers: readonly Answer[]): Answer {
  const weightOf = (answer: Answer): number => {
    if (isSettled(write, answer)) return Number.POSITIVE_INFINITY;
    if ('outcome' in answer) return answer.outcome.state?.seq ?? 0;
    return answer.error instanceof StoreFailure && answer.error.applied === 'no' ? -1 : Number.MAX_VALUE;
  };
  return answers.reduce((chosen, answer) => (weightOf(answer) > weightOf(chosen) ? answer : chosen));
}
