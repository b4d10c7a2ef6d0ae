import {
  type BucketState,
  type BucketStore,
  type Clock,
  type EntityStore,
  type LimitStatus,
  type Lineage,
  type Random,
  type Sleep,
  StoreFailure,
  statusOf,
  ValidationError,
} from '@millrace/core';
import { abortable } from './abort.js';
import { giveBack, takeCascade } from './cascade.js';
import { AcquireAborted, LimiterClosed, publicError, RateLimitExceeded, RateLimiterUnavailable } from './errors.js';
import { Holding } from './holding.js';
import { BucketKnowledge } from './knowledge.js';
import { type ChangeReport, Lease } from './lease.js';
import { type Amounts, type Level, planLevels } from './level.js';
import { Lineages } from './lineages.js';
import { MonotonicClock } from './monotonic-clock.js';
import { type AcquireOptions, checkAcquire, checkAmounts, checkRequest, type LimitsOptions, type Request } from './request.js';
import { sendRead } from './send.js';
import { Stats } from './stats.js';
import type { TakeParts, TakeResult } from './take.js';

/** What an engine is made of. */
export interface EngineOptions {
  readonly store: BucketStore & EntityStore;
  readonly namespaceId: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly stats?: Stats;
  /** How long one call may go on sending requests. */
  readonly deadlineMs: number;
  /** How long an entity's lineage is believed without being read again. */
  readonly configTtlMs: number;
  /** How many buckets and entities are remembered. */
  readonly maxEntries: number;
}

/** The answer of a `tryAcquire`. */
export type Verdict =
  | { readonly allowed: true; readonly lease: Lease }
  | { readonly allowed: false; readonly retryAfterMs: number; readonly statuses: readonly LimitStatus[] };

/** How often an acquire starts again because its lineage was stale; each time it has read a newer one. */
const MAX_REFRESHES = 3;

/** Acquires and settles. It knows stores, clocks and chance only as they are handed in, so it runs wherever they can be made. */
export class Engine {
  readonly stats: Stats;
  readonly lineages: Lineages;
  readonly clock: MonotonicClock;
  readonly #parts: TakeParts;
  readonly #namespaceId: string;
  readonly #deadlineMs: number;
  readonly #running = new Set<Promise<unknown>>();
  #closing = false;
  #closed = false;

  constructor(options: EngineOptions) {
    this.stats = options.stats ?? new Stats();
    this.clock = new MonotonicClock(options.clock);
    this.#namespaceId = options.namespaceId;
    this.#deadlineMs = options.deadlineMs;
    const { store, sleep, random } = options;
    this.#parts = {
      buckets: store,
      clock: this.clock,
      sleep,
      random,
      stats: this.stats,
      knowledge: new BucketKnowledge(options.maxEntries),
      newDeadlineMs: () => this.#deadline(),
    };
    this.lineages = new Lineages({ ...this.#parts, entities: store }, options.namespaceId, {
      ttlMs: options.configTtlMs,
      maxEntities: options.maxEntries,
    });
  }

  /** Takes, or throws {@link RateLimitExceeded}. */
  async acquire(entity: string, resource: string, amounts: Amounts, options: AcquireOptions = {}): Promise<Lease> {
    const verdict = await this.tryAcquire(entity, resource, amounts, options);
    if (!verdict.allowed) throw new RateLimitExceeded(verdict.statuses, verdict.retryAfterMs);
    return verdict.lease;
  }

  /** Takes, or says why not. */
  async tryAcquire(entity: string, resource: string, amounts: Amounts, options: AcquireOptions = {}): Promise<Verdict> {
    this.checkOpen('acquire');
    const request = checkAcquire(entity, resource, options);
    const checked = checkAmounts(amounts);
    const { signal } = options;
    if (signal?.aborted) throw new AcquireAborted(signal.reason);
    this.stats.add('acquires');
    const running = this.track(this.#acquire(request, checked, options));
    if (signal === undefined) return running;

    const { result, ended } = abortable(running, signal, async (verdict) => {
      if (verdict.allowed) await verdict.lease.release();
    });
    this.track(ended);
    return result;
  }

  /** Runs `work` under a lease: commits when it returns, gives everything back when it throws. */
  async withLease<T>(
    entity: string,
    resource: string,
    amounts: Amounts,
    work: (lease: Lease) => Promise<T> | T,
    options: AcquireOptions = {},
  ): Promise<T> {
    if (typeof work !== 'function') throw new ValidationError('work', 'a function', work);
    const lease = await this.acquire(entity, resource, amounts, options);
    let result: T;
    try {
      result = await work(lease);
    } catch (error) {
      // What the work threw is what the caller must see, also when giving back fails.
      if (!lease.settled) await lease.release().catch(() => undefined);
      throw error;
    }
    if (!lease.settled) await lease.commit();
    return result;
  }

  /** Tokens per limit that one request could take now: the least of all levels. Takes none. One read for each level. */
  async available(entity: string, resource: string, options: LimitsOptions = {}): Promise<Amounts> {
    const request = checkRequest(entity, resource, options);
    const own = request.limitsOf(request.entity) ?? [];
    const statuses = await this.#statuses(request, Object.fromEntries(own.map((limit) => [limit.name, 1])), 'read what is available');
    const least = new Map<string, number>();
    for (const { limit, available } of statuses) least.set(limit, Math.min(available, least.get(limit) ?? available));
    return Object.fromEntries(least);
  }

  /** Milliseconds until a request would be admitted if nobody else took; 0 if it would be now. Takes none. */
  async timeUntilAvailable(entity: string, resource: string, amounts: Amounts, options: LimitsOptions = {}): Promise<number> {
    const request = checkRequest(entity, resource, options);
    return longestMs(await this.#statuses(request, checkAmounts(amounts), 'read when tokens are available'));
  }

  /** Refuses new acquires, waits until what runs has ended, an aborted acquire's giving back included, then refuses all. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    this.#closed = true;
  }

  /** Throws if the limiter is closed. */
  checkOpen(operation: string): void {
    if (this.#closing) throw new LimiterClosed(operation);
  }

  /** Remembers work until it has ended, so that closing can wait for it. */
  track<T>(work: Promise<T>): Promise<T> {
    const ended = work.catch(() => undefined).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
    return work;
  }

  async #acquire(request: Request, amounts: Amounts, options: AcquireOptions): Promise<Verdict> {
    const deadlineMs = this.#deadline();
    let lineage: Lineage;
    try {
      lineage = await this.lineages.get(request.entity, deadlineMs);
      for (let refreshes = 0; ; refreshes += 1) {
        const levels = this.#plan(request, lineage, amounts);
        const outcome = await takeCascade(this.#parts, levels, deadlineMs);
        if (outcome.kind === 'taken') return this.#grant(request, amounts, levels, outcome.results, options);
        if (outcome.kind === 'exhausted') return this.#reject(outcome.statuses);
        if (outcome.kind === 'failed') return await this.#unavailable(request, amounts, levels, outcome, options);
        this.stats.add('staleConfigurations');
        if (refreshes === MAX_REFRESHES)
          throw new StoreFailure('throttled', 'no', `the lineage of "${request.entity}" changed ${MAX_REFRESHES} times in a row`);
        lineage = await this.lineages.refresh(request.entity, outcome.version, deadlineMs);
      }
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      const levels = this.#plan(request, { charged: [], version: 0 }, amounts);
      return await this.#unavailable(request, amounts, levels, { error, results: [] }, options);
    }
  }

  #plan(request: Request, lineage: Lineage, amounts: Amounts): readonly Level[] {
    return planLevels(this.#namespaceId, request.entity, request.resource, lineage, amounts, request.limitsOf);
  }

  #grant(
    request: Request,
    amounts: Amounts,
    levels: readonly Level[],
    results: readonly TakeResult[],
    options: AcquireOptions,
    degraded = false,
  ): Verdict {
    const taken = new Map(results.flatMap((result) => (result.kind === 'taken' ? [[result.level, result] as const] : [])));
    const states = new Map<Holding, BucketState>();
    const holdings = levels.map((level) => {
      const result = taken.get(level);
      const holding = new Holding(level, result !== undefined);
      if (result !== undefined) states.set(holding, result.state);
      return holding;
    });
    this.stats.add('admitted');
    if (degraded) this.stats.add('degraded');
    const owner = {
      nowUs: () => this.clock.nowUs(),
      change: (held: readonly Holding[], deltas: ReadonlyMap<string, number>) => this.track(this.#settle(held, deltas, options)),
    };
    return { allowed: true, lease: new Lease(owner, request, amounts, holdings, { states, degraded }) };
  }

  #reject(statuses: readonly LimitStatus[]): Verdict {
    this.stats.add('rejected');
    return { allowed: false, retryAfterMs: longestMs(statuses), statuses };
  }

  /** With `allow`, the lease keeps what some levels took and says that it is degraded; with `block`, they get it back. */
  async #unavailable(
    request: Request,
    amounts: Amounts,
    levels: readonly Level[],
    outcome: { readonly error: unknown; readonly results: readonly TakeResult[] },
    options: AcquireOptions,
  ): Promise<Verdict> {
    const error = publicError(outcome.error);
    if (options.onUnavailable === 'allow' && error instanceof RateLimiterUnavailable) {
      return this.#grant(request, amounts, levels, outcome.results, options, true);
    }
    await giveBack(this.#parts, outcome.results);
    throw error;
  }

  async #settle(holdings: readonly Holding[], deltas: ReadonlyMap<string, number>, options: AcquireOptions): Promise<ChangeReport> {
    if (this.#closed) throw new LimiterClosed('settle a lease');
    const states = new Map<Holding, BucketState>();
    // Every level is settled as far as it can be, whatever happens at another.
    const outcomes = await Promise.allSettled(
      holdings.map(async (holding) => {
        const state = await holding.change(this.#parts, deltas, this.#deadline());
        if (state !== undefined) states.set(holding, state);
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) return { states, degraded: false };
    const error = publicError(failed.reason);
    if (options.onUnavailable === 'allow' && error instanceof RateLimiterUnavailable) return { states, degraded: true };
    throw error;
  }

  async #statuses(request: Request, amounts: Amounts, operation: string): Promise<readonly LimitStatus[]> {
    this.checkOpen(operation);
    const deadlineMs = this.#deadline();
    try {
      const lineage = await this.lineages.get(request.entity, deadlineMs);
      const levels = this.#plan(request, lineage, amounts);
      const states = await this.track(Promise.all(levels.map((level) => sendRead(this.#parts, level.ref, deadlineMs))));
      const nowUs = this.clock.nowUs();
      return levels.flatMap((level, index) =>
        level.debits.map(({ limit, tokens }) => statusOf(level, limit, tokens, states[index], nowUs)),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  #deadline(): number {
    return this.clock.nowMs() + this.#deadlineMs;
  }
}

function longestMs(statuses: readonly LimitStatus[]): number {
  return statuses.reduce((longest, status) => Math.max(longest, status.retryAfterMs), 0);
}
