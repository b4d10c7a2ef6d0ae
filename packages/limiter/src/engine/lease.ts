import {
  availableTokens,
  type BucketState,
  inScale,
  knowsLimit,
  type LimitStatus,
  layoutOf,
  shardCount,
  shardTiming,
  timingOf,
  type UnavailablePolicy,
  ValidationError,
} from '@millrace/core';
import { LeaseSettled } from './errors.js';
import type { Holding } from './holding.js';
import type { Amounts, Level } from './level.js';
import { type CommittedUse, checkMeta, type EventMeta } from './recording.js';
import { checkDeltas } from './request.js';

// k6's runtime has no Symbol.asyncDispose. There the method has a name that nobody calls.
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** A charge beyond this is a mistake, and would leave the whole numbers of microseconds that are exact. */
const MAX_DEBT_MS = 20 * 366 * 86_400_000;

/** How a lease is recorded when it is committed. */
export interface LeaseRecording {
  /** What the caller has said of it so far. */
  readonly meta: EventMeta;
  /** Resolves once the use is taken over, and throws if it is not. */
  record(use: Pick<CommittedUse, 'amounts' | 'degraded' | 'meta'>): Promise<void>;
}

const NO_META: EventMeta = {};
const NOTHING_HEARD: readonly HeldState[] = [];
const SETTLED: Promise<void> = Promise.resolve();

/** What a lease needs of the engine that gave it. */
export interface LeaseOwner {
  /** Changes every level in parallel, and says what each was left with. */
  change(holdings: readonly Holding[], deltas: ReadonlyMap<string, number>, policy: UnavailablePolicy | undefined): Promise<ChangeReport>;
  nowUs(): number;
}

/** An item of a level's bucket as it was left. */
export interface HeldState {
  readonly level: Level;
  readonly state: BucketState;
}

export interface ChangeReport {
  readonly states: readonly HeldState[];
  /** The store gave no answer somewhere, and the caller had asked to go on without it. */
  readonly degraded: boolean;
}

/** What a lease begins with. */
export interface LeaseReport extends ChangeReport {
  readonly shadowViolations: readonly LimitStatus[];
  /** What its caller wants where the store gives no answer. */
  readonly onUnavailable: UnavailablePolicy | undefined;
  /** Undefined on a resource whose leases are not recorded. */
  readonly recording: LeaseRecording | undefined;
}

/**
 * Tokens that are taken. It settles once: `commit` keeps them, `release` gives all of them back; `adjust` before that
 * sets right what was really used.
 */
export class Lease {
  readonly entity: string;
  readonly resource: string;
  /** Limits of entities in shadow mode that would have refused this request, as they stood; empty where none would have. */
  readonly shadowViolations: readonly LimitStatus[];
  readonly #owner: LeaseOwner;
  readonly #holdings: readonly Holding[];
  readonly #amounts: Amounts;
  readonly #policy: UnavailablePolicy | undefined;
  readonly #recording: LeaseRecording | undefined;
  #taken: Map<string, number> | undefined;
  #remaining: Map<string, number> | undefined;
  /** What was heard last of the buckets, and when; reckoned with only if somebody asks. */
  #heard: readonly HeldState[];
  #heardUs: number;
  #degraded: boolean;
  #settledAs: 'committed' | 'released' | undefined;
  #meta: EventMeta;
  #queue: Promise<unknown> | undefined;

  constructor(
    owner: LeaseOwner,
    where: { readonly entity: string; readonly resource: string },
    amounts: Amounts,
    holdings: readonly Holding[],
    report: LeaseReport,
  ) {
    this.shadowViolations = report.shadowViolations;
    this.entity = where.entity;
    this.resource = where.resource;
    this.#owner = owner;
    this.#holdings = holdings;
    this.#amounts = amounts;
    this.#policy = report.onUnavailable;
    this.#degraded = report.degraded;
    this.#recording = report.recording;
    this.#meta = report.recording?.meta ?? NO_META;
    this.#heard = report.states;
    this.#heardUs = owner.nowUs();
  }

  get #consumed(): Map<string, number> {
    this.#taken ??= new Map(Object.entries(this.#amounts));
    return this.#taken;
  }

  /** Tokens that this lease has taken of each limit, adjustments included. */
  get consumed(): Amounts {
    return Object.fromEntries(this.#consumed);
  }

  /** Tokens that one more request could have taken when this lease last heard of the buckets: the least of all levels. */
  get remaining(): Amounts {
    return Object.fromEntries(this.#reckon());
  }

  /** True when the store could not be reached, so that some of this is not on its books. */
  get degraded(): boolean {
    return this.#degraded;
  }

  /** True once committed or released. */
  get settled(): boolean {
    return this.#settledAs !== undefined;
  }

  /**
   * Takes more (above zero) or gives some back (below) at every level, in one write each. Never fails on a limit: what
   * was used was used, and the bucket goes into debt. A limit that the acquire did not ask of may be adjusted too.
   *
   * @throws ValidationError if more would be given back than the lease holds, or the entity has no such limit
   * @throws LeaseSettled if it was committed or released
   * @throws RateLimiterUnavailable if the store gave no answer (never with `onUnavailable: 'allow'`: see `degraded`)
   */
  adjust(deltas: Amounts): Promise<void> {
    return this.#inTurn(async () => {
      this.#checkOpen('adjust');
      const changes = checkDeltas(deltas);
      for (const [limit, tokens] of changes) this.#checkDelta(limit, tokens);
      for (const [limit, tokens] of changes) {
        if (tokens < 0) this.#consumed.set(limit, (this.#consumed.get(limit) ?? 0) + tokens);
      }
      for (const limit of changes.keys()) this.#consumed.set(limit, this.#consumed.get(limit) ?? 0);
      await this.#change(changes);
      for (const [limit, tokens] of changes) {
        if (tokens > 0) this.#consumed.set(limit, (this.#consumed.get(limit) ?? 0) + tokens);
      }
    });
  }

  /**
   * Adds to what the usage event of this lease will note, over what was noted before under the same names. Nothing is sent.
   *
   * @throws ValidationError if it is too much, or leases on the resource are not recorded
   * @throws LeaseSettled if it was committed or released
   */
  annotate(meta: EventMeta): void {
    this.#checkOpen('annotate');
    if (this.#recording === undefined) {
      throw new ValidationError('annotation', `of a lease that is recorded; those of "${this.resource}" are not`, meta);
    }
    this.#meta = checkMeta('annotation', { ...this.#meta, ...checkMeta('annotation', meta) });
  }

  /**
   * Keeps what was taken. No request is sent and nothing is waited for, unless leases on the resource are recorded: then what was
   * used is handed over to be written soon, which waits while too much is yet to be written.
   *
   * @throws RateLimiterUnavailable if it waited in vain; nothing is recorded, and the lease is as it was: commit it again, or release it
   */
  commit(): Promise<void> {
    if (this.#queue === undefined && this.#settledAs === undefined && this.#recording === undefined) {
      this.#settledAs = 'committed';
      return SETTLED;
    }
    return this.#inTurn(async () => {
      this.#checkOpen('commit');
      const meta = Object.keys(this.#meta).length === 0 ? {} : { meta: this.#meta };
      await this.#recording?.record({ amounts: this.consumed, degraded: this.#degraded, ...meta });
      this.#settledAs = 'committed';
    });
  }

  /** Gives back all that was taken, at every level, at most once: if a reply is lost, it is not sent again. */
  release(): Promise<void> {
    return this.#inTurn(async () => {
      this.#checkOpen('release');
      this.#settledAs = 'released';
      // Everything that is held, whatever a failed adjust may have left on some level and not on another.
      const everything = new Map([...this.#consumed.keys()].map((limit) => [limit, Number.NEGATIVE_INFINITY]));
      for (const limit of everything.keys()) this.#consumed.set(limit, 0);
      await this.#change(everything);
    });
  }

  /** Releases, unless the lease is settled: what `await using` does at the end of a block. */
  async [asyncDispose](): Promise<void> {
    await this.#queue;
    if (!this.settled) await this.release();
  }

  async #change(deltas: ReadonlyMap<string, number>): Promise<void> {
    const report = await this.#owner.change(this.#holdings, deltas, this.#policy);
    this.#degraded ||= report.degraded;
    this.#note(report.states);
  }

  #note(states: readonly HeldState[]): void {
    this.#reckon();
    this.#heard = states;
    this.#heardUs = this.#owner.nowUs();
  }

  /** What is left by all that was heard. A limit of which nothing was heard lately is as it was heard of before. */
  #reckon(): ReadonlyMap<string, number> {
    this.#remaining ??= new Map();
    const nowUs = this.#heardUs;
    const least = new Map<string, number>();
    for (const { level, state } of this.#heard) {
      for (const limit of level.limits) {
        const timing = shardTiming(timingOf(limit), shardCount(layoutOf(state)));
        const held = state.limits.get(limit.name);
        if (held === undefined) continue;
        const left = availableTokens(timing, inScale(held, timing, nowUs), nowUs);
        least.set(limit.name, Math.min(left, least.get(limit.name) ?? left));
      }
    }
    for (const [limit, left] of least) this.#remaining.set(limit, left);
    this.#heard = NOTHING_HEARD;
    return this.#remaining;
  }

  #checkOpen(operation: string): void {
    if (this.#settledAs !== undefined) throw new LeaseSettled(operation, this.#settledAs);
  }

  #checkDelta(limit: string, tokens: number): void {
    // Without any answer of the store nothing is known that could be wrong.
    if (this.#holdings.length === 0) return;
    const own = this.#holdings[0]?.level.limits ?? [];
    const limits = own.length > 0 ? own : this.#holdings.flatMap(({ level }) => level.limits);
    const found = limits.find(({ name }) => name === limit);
    // A name that some level of the configuration knows and that does not hold here is not limited: nothing to charge.
    if (found === undefined && this.#holdings.some(({ level }) => level.stored !== undefined && knowsLimit(level.stored, limit))) return;
    if (found === undefined)
      throw new ValidationError(
        `limit of "${this.entity}" on "${this.resource}"`,
        `one of ${limits.map(({ name }) => name).join(', ')}`,
        limit,
      );
    const mostTokens = Math.floor((MAX_DEBT_MS / found.periodMs) * found.refill);
    if (tokens > mostTokens)
      throw new ValidationError(`adjustment of "${limit}"`, `at most ${mostTokens}, what flows back in 20 years`, tokens);
    const held = this.#consumed.get(limit) ?? 0;
    if (-tokens > held) throw new ValidationError(`adjustment of "${limit}"`, `at least -${held}: the lease holds no more`, tokens);
  }

  /** One operation after the other: a release that overtook an adjust would give back too little. */
  #inTurn(operation: () => Promise<void>): Promise<void> {
    const result = (this.#queue ?? SETTLED).then(operation);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
