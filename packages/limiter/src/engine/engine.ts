import {
  type BucketStore,
  type Clock,
  type ConfigRef,
  type ConfigStore,
  type LimitStatus,
  type Random,
  type ResolvedConfig,
  type Sleep,
  ValidationError,
} from '@millrace/core';
import { abortable } from './abort.js';
import { Acquirer, type AcquirerParts, type Verdict } from './acquirer.js';
import { BoundedMap } from './bounded-map.js';
import { BucketQueues, type LevelTaker } from './bucket-queue.js';
import { type ConfigCache, memoryConfigCache } from './config-cache.js';
import { Configs } from './configs.js';
import { AcquireAborted, LimiterClosed, publicError, RateLimitExceeded } from './errors.js';
import { hedgingFor } from './hedge.js';
import type { HedgingOptions } from './hedge-budget.js';
import { BucketKnowledge } from './knowledge.js';
import type { Lease } from './lease.js';
import type { Amounts } from './level.js';
import { longestMs } from './longest.js';
import { MonotonicClock } from './monotonic-clock.js';
import { Prefetch } from './prefetch.js';
import type { PrefetchSettings } from './prefetch-options.js';
import { checkRecording, type UseRecorder } from './recording.js';
import { type AcquireOptions, checkAcquire, checkAmounts, checkRequest, type LimitsOptions, type Request } from './request.js';
import { RequestIds } from './request-ids.js';
import { Resolver } from './resolver.js';
import { Running } from './running.js';
import { SHARDING, type ShardingOptions } from './shard-load.js';
import { Shards } from './shards.js';
import { SpinWatch } from './spin-watch.js';
import { standingOf } from './standing.js';
import { Stats } from './stats.js';
import type { TakeParts } from './take.js';
import { type Techniques, techniquesFrom, withoutNames } from './techniques.js';
import { WaitingRoom } from './waiting-room.js';

const MAX_WAITERS = 10_000;

/** What an engine is made of. */
export interface EngineOptions {
  readonly store: BucketStore & ConfigStore;
  readonly namespaceId: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly stats?: Stats;
  /** How long one call may go on sending requests. */
  readonly deadlineMs: number;
  /** How long what was read of the configuration is believed; 0 reads it each time. */
  readonly configTtlMs: number;
  /** How many buckets, and how many items of the configuration, are remembered. */
  readonly maxEntries: number;
  /** Where the configuration is remembered. @default this process's memory, `maxEntries` items */
  readonly configCache?: ConfigCache;
  /** How many acquires may wait for their turn at once; one more is refused as if it did not want to wait. @default 10000 */
  readonly maxWaiters?: number;
  /** Told of callers that ask again and again without waiting for `retryAfterMs`, once in each second in which they do. */
  readonly onSpin?: (entity: string, resource: string) => void;
  /** How tokens are taken ahead. @default not at all */
  readonly prefetch?: PrefetchSettings;
  /** When a bucket is spread over more items than one. @default when one of DynamoDB's partitions does not carry it */
  readonly sharding?: Partial<ShardingOptions>;
  /** Whether and how the slowest debits are sent a second time. @default not */
  readonly hedging?: boolean | HedgingOptions;
  /** Where committed leases are recorded, one by one. @default nowhere */
  readonly recorder?: UseRecorder;
  /** For tests and comparisons: what the engine is to do without. @default all are on */
  readonly techniques?: Partial<Techniques>;
}

/** What holds for an entity on a resource. */
export interface Explanation extends ResolvedConfig {
  /** The ancestors that an acquire also takes from, nearest first, and what holds for them. */
  readonly ancestors: ReadonlyMap<string, ResolvedConfig>;
}

/** Acquires and settles. It knows stores, clocks and chance only as they are handed in, so it runs wherever they can be made. */
export class Engine {
  readonly stats: Stats;
  readonly configs: Configs;
  readonly clock: MonotonicClock;
  readonly namespaceId: string;
  readonly #options: EngineOptions;
  readonly #parts: AcquirerParts;
  readonly #acquirer: Acquirer;
  readonly #prefetch: Prefetch | undefined;
  readonly #isScoped: boolean;
  readonly #running = new Running();
  #closing = false;
  #closed = false;

  /** `shared` is an engine of another namespace whose caches, counters and clock this one uses. */
  constructor(options: EngineOptions, shared?: Engine) {
    this.#options = options;
    this.namespaceId = options.namespaceId;
    this.stats = shared?.stats ?? options.stats ?? new Stats();
    this.clock = shared?.clock ?? new MonotonicClock(options.clock);
    const { store, sleep, random, maxEntries, configTtlMs, namespaceId } = options;
    const retry = { clock: this.clock, sleep, random, stats: this.stats };
    this.configs =
      shared?.configs ??
      new Configs({ ...retry, configs: store }, { cache: options.configCache ?? memoryConfigCache(maxEntries), ttlMs: configTtlMs });
    const techniques = techniquesFrom(options.techniques);
    const requestIds = shared === undefined ? new RequestIds(random) : shared.#parts.requestIds;
    const hedgeParts = { ...retry, buckets: store, requestIds };
    // What has no name may not be sent twice.
    const hedged = techniques.requestIds ? options.hedging : undefined;
    const hedging = shared === undefined ? hedgingFor(hedgeParts, hedged) : shared.#parts.hedging;
    this.#isScoped = shared !== undefined;
    const tableParts: TakeParts = {
      ...retry,
      clock: this.clock,
      hotItems: shared === undefined ? new BoundedMap<true>(maxEntries) : shared.#parts.hotItems,
      requestIds,
      ...(hedging === undefined ? {} : { hedging }),
      buckets: techniques.requestIds ? store : withoutNames(store),
      techniques,
      knowledge: shared === undefined ? new BucketKnowledge(maxEntries) : shared.#parts.knowledge,
      newDeadlineMs: () => this.#deadline(),
    };
    const table = new BucketQueues(tableParts);
    this.#prefetch = shared === undefined ? this.#newPrefetch(tableParts, table) : shared.#prefetch;
    const takeParts = this.#prefetch === undefined ? tableParts : { ...tableParts, ahead: this.#prefetch };
    this.#parts = {
      ...takeParts,
      shards: shared === undefined ? this.#newShards(takeParts, this.#prefetch ?? table) : shared.#parts.shards,
      spins: shared === undefined ? new SpinWatch(maxEntries) : shared.#parts.spins,
      onSpin: options.onSpin ?? (() => undefined),
      namespaceId,
      waitingRoom: new WaitingRoom(sleep, options.maxWaiters ?? MAX_WAITERS),
      resolver: new Resolver(this.configs, namespaceId, () => this.clock.nowMs(), maxEntries),
      lastPolicy: () => this.configs.lastPolicy(namespaceId),
      track: (work) => this.track(work),
      isClosed: () => this.#closed,
      recorder: options.recorder,
    };
    this.#acquirer = new Acquirer(this.#parts);
  }

  /** An engine for another namespace of the same store. What the two remember is shared, and so is what they count. */
  scoped(namespaceId: string): Engine {
    return new Engine({ ...this.#options, namespaceId }, this);
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
    const recording = checkRecording(options, resource, this.#options.recorder);
    const { signal } = options;
    if (signal?.aborted) throw new AcquireAborted(signal.reason);
    this.stats.add('acquires');
    // Copied only where there is something to add.
    const wanted = recording.meta === undefined && recording.idempotencyKey === undefined ? options : { ...options, ...recording };
    if (signal === undefined) {
      this.#running.begin();
      try {
        return await this.#acquirer.acquire(request, checked, wanted);
      } finally {
        this.#running.end();
      }
    }
    const running = this.track(this.#acquirer.acquire(request, checked, wanted));
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
    const statuses = await this.#statuses(request, undefined, 'read what is available');
    const least = new Map<string, number>();
    for (const { limit, available } of statuses) least.set(limit, Math.min(available, least.get(limit) ?? available));
    return Object.fromEntries(least);
  }

  /** Milliseconds until a request would be admitted if nobody else took; 0 if it would be now. Takes none. */
  async timeUntilAvailable(entity: string, resource: string, amounts: Amounts, options: LimitsOptions = {}): Promise<number> {
    const request = checkRequest(entity, resource, options);
    return longestMs(await this.#statuses(request, checkAmounts(amounts), 'read when tokens are available'));
  }

  /** What holds for an entity on a resource, as far as this process knows. */
  async explain(entity: string, resource: string): Promise<Explanation> {
    this.checkOpen('explain limits');
    const request = checkRequest(entity, resource, {});
    try {
      const { own, ancestors } = await this.#parts.resolver.resolve(request.entity, request.resource, this.#deadline());
      return { ...own, ancestors };
    } catch (error) {
      throw publicError(error);
    }
  }

  /** Forgets what this process itself has changed by administration, and asks every bucket again before it refuses. */
  forget(namespaceId: string, refs: readonly ConfigRef[]): void {
    this.configs.forget(namespaceId, refs);
    this.#parts.knowledge.doubtAll(this.clock.nowUs());
  }

  /**
   * Refuses new acquires, ends those that wait for their turn, waits until what runs has ended, an aborted acquire's giving
   * back included, gives back what was taken ahead, then refuses all.
   */
  async close(): Promise<void> {
    this.#closing = true;
    this.#parts.waitingRoom.close();
    await this.#running.idle();
    await this.#prefetch?.close(this.#isScoped ? this.namespaceId : undefined);
    await this.#running.idle();
    await this.configs.idle();
    this.#closed = true;
  }

  /** Throws if the limiter is closed. */
  checkOpen(operation: string): void {
    if (this.#closing) throw new LimiterClosed(operation);
  }

  /** Remembers work until it has ended, so that closing can wait for it. */
  track<T>(work: Promise<T>): Promise<T> {
    return this.#running.track(work);
  }

  /** How the limits stand at every level: those that are asked of, or, where nothing is asked, the entity's own. */
  async #statuses(request: Request, amounts: Amounts | undefined, operation: string): Promise<readonly LimitStatus[]> {
    this.checkOpen(operation);
    const deadlineMs = this.#deadline();
    try {
      const resolution = await this.#parts.resolver.resolve(request.entity, request.resource, deadlineMs);
      const asked = amounts ?? oneOfEach(await this.#acquirer.plan(request, resolution, {}, deadlineMs));
      const levels = (await this.#acquirer.plan(request, resolution, asked, deadlineMs)).filter(({ debits }) => debits.length > 0);
      const standings = await this.track(Promise.all(levels.map((level) => standingOf(this.#parts, level, deadlineMs))));
      return standings.flat();
    } catch (error) {
      throw publicError(error);
    }
  }

  #newPrefetch(parts: TakeParts, table: LevelTaker): Prefetch | undefined {
    const { prefetch, maxEntries } = this.#options;
    if (prefetch === undefined) return undefined;
    return new Prefetch({ ...parts, table, track: (work) => this.track(work) }, prefetch, maxEntries);
  }

  #newShards(parts: TakeParts, taker: LevelTaker): Shards {
    const { maxEntries, sharding } = this.#options;
    const track = <T>(work: Promise<T>): Promise<T> => this.track(work);
    return new Shards({ ...parts, taker, track }, maxEntries, { ...SHARDING, ...sharding });
  }

  #deadline(): number {
    return this.clock.nowMs() + this.#options.deadlineMs;
  }
}

function oneOfEach(levels: readonly { readonly limits: readonly { readonly name: string }[] }[]): Amounts {
  // Those of the entity; where it has none of its own, those of its ancestors are what limits it.
  const own = levels[0]?.limits ?? [];
  const limits = own.length > 0 ? own : levels.flatMap((level) => level.limits);
  return Object.fromEntries(limits.map(({ name }) => [name, 1]));
}
