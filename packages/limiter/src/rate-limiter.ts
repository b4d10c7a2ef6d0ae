import { checkInteger, checkName, ValidationError } from '@millrace/core';
import { registerAdministration } from './admin/access.js';
import type { Administration } from './admin/administration.js';
import { AuditLog } from './admin/audit-log.js';
import { Entities } from './admin/entities.js';
import { FencedTable } from './admin/fenced-table.js';
import { Namespaces } from './admin/namespaces.js';
import { StoredLimits } from './admin/stored-limits.js';
import { flushOnSignals } from './billing/flush-on-signal.js';
import {
  type AcquireOptions,
  type Amounts,
  type ConfigCacheStats,
  Engine,
  type Explanation,
  type Lease,
  type LimiterStats,
  type LimitsOptions,
  publicError,
  type Verdict,
} from './engine/index.js';
import { registerObserved } from './metrics/access.js';
import { checkOptions, HOUR_MS, type RateLimiterOptions } from './options.js';
import { Usage } from './usage/usage.js';
import { zoneOnce } from './usage/usage-parts.js';
import { answersWithin, findNamespaceId, openWorld, runFor, type World } from './world.js';

/**
 * A distributed rate limiter whose state is one DynamoDB table.
 *
 * @example
 * const limiter = await RateLimiter.open({ table: 'millrace' });
 * await limiter.limits.setResource('gpt-4', [Limit.perMinute('rpm', 500), Limit.perMinute('tpm', 800_000)]);
 * await limiter.withLease('key-1', 'gpt-4', { rpm: 1, tpm: 800 }, async (lease) => {
 *   const answer = await callModel();
 *   await lease.adjust({ tpm: answer.usage.total - 800 });
 * });
 */
export class RateLimiter {
  /** The entities of this limiter's namespace. */
  readonly entities: Entities;
  /** The limits that are stored in the table. */
  readonly limits: StoredLimits;
  /** The namespaces of the table. */
  readonly namespaces: Namespaces;
  /** What administrators have done. */
  readonly audit: AuditLog;
  /** What entities have used. */
  readonly usage: Usage;
  readonly #world: World;
  readonly #engine: Engine;
  readonly #isScoped: boolean;
  readonly #stopListening: () => void;

  private constructor(world: World, engine: Engine, isScoped: boolean) {
    this.#world = world;
    this.#engine = engine;
    this.#isScoped = isScoped;
    const flushOn = isScoped ? [] : world.flushOn;
    this.#stopListening = flushOnSignals(flushOn, () => this.flush());
    const administration: Administration = {
      items: new FencedTable(world.items, engine.namespaceId),
      namespaceId: engine.namespaceId,
      nowMs: () => engine.clock.nowMs(),
      newEventId: world.newEventId,
      actor: world.actor,
      onChange: (refs, namespaceId = engine.namespaceId) => engine.forget(namespaceId, refs),
      run: (operation, work) => runFor(engine, operation, work),
    };
    this.entities = new Entities(administration);
    this.limits = new StoredLimits(administration);
    // Who closes a namespace, and opens it again, must not be refused for that.
    this.namespaces = new Namespaces({ ...administration, items: world.items });
    this.audit = new AuditLog(administration);
    this.usage = new Usage({
      ...administration,
      sleep: world.engine.sleep,
      available: (entity, resource) => engine.available(entity, resource),
      zone: zoneOnce(administration),
    });
    registerAdministration(this, administration);
    registerObserved(this, {
      table: world.table,
      observation: engine.stats.observation,
      stats: () => this.stats(),
      cacheStats: () => this.cacheStats(),
      endings: world.endings,
    });
  }

  /**
   * Opens a limiter: reads one item, the namespace's entry in the registry, and creates nothing.
   *
   * @throws MillraceError `TABLE_NOT_FOUND`, `TABLE_UNUSABLE`, `NAMESPACE_NOT_FOUND`, `NAMESPACE_STATE`, `CREDENTIALS`,
   *   `ACCESS_DENIED`, `SCHEMA_VERSION`
   * @throws RateLimiterUnavailable if DynamoDB cannot be reached
   */
  static async open(options: RateLimiterOptions): Promise<RateLimiter> {
    let world: World | undefined;
    try {
      world = await openWorld(checkOptions(options), options);
      const namespaceId = await findNamespaceId(world, world.namespace);
      return new RateLimiter(world, new Engine({ ...world.engine, namespaceId }), false);
    } catch (error) {
      world?.connection.close();
      throw publicError(error);
    }
  }

  /**
   * A limiter of another namespace of the table, which shares this one's connection, caches, counters and usage events that wait. Reads one item.
   * Close it when it is not needed any more; the connection stays until the limiter that was opened is closed.
   */
  async namespace(name: string): Promise<RateLimiter> {
    this.#engine.checkOpen('open a namespace');
    checkName('namespace', name);
    try {
      const namespaceId = await findNamespaceId(this.#world, name);
      return new RateLimiter(this.#world, this.#engine.scoped(namespaceId), true);
    } catch (error) {
      throw publicError(error);
    }
  }

  /**
   * Takes tokens of all the limits named, at the entity and at every ancestor that it cascades to, or of none.
   *
   * Costs one write for each level, all in one round trip; one more where the bucket's state had to be learned first.
   *
   * @throws RateLimitExceeded if it does not fit now
   * @throws ValidationError if it could never fit, or an argument is wrong; nothing is sent
   * @throws RateLimiterUnavailable if DynamoDB gave no answer and `onUnavailable` is `block`
   */
  acquire(entity: string, resource: string, amounts: Amounts, options?: AcquireOptions): Promise<Lease> {
    return this.#engine.acquire(entity, resource, amounts, options);
  }

  /** The same as {@link acquire}, with a refusal as an answer and not as an error. */
  tryAcquire(entity: string, resource: string, amounts: Amounts, options?: AcquireOptions): Promise<Verdict> {
    return this.#engine.tryAcquire(entity, resource, amounts, options);
  }

  /** Runs `work` under a lease: commits when it returns, gives everything back when it throws, and passes on what it threw. */
  withLease<T>(
    entity: string,
    resource: string,
    amounts: Amounts,
    work: (lease: Lease) => Promise<T> | T,
    options?: AcquireOptions,
  ): Promise<T> {
    return this.#engine.withLease(entity, resource, amounts, work, options);
  }

  /** Tokens of each limit that one request could take now, the least of all levels. Takes none; costs one read for each level. */
  available(entity: string, resource: string, options?: LimitsOptions): Promise<Amounts> {
    return this.#engine.available(entity, resource, options);
  }

  /** Milliseconds until a request would be admitted if nobody else took; 0 if it would be now. Costs one read for each level. */
  timeUntilAvailable(entity: string, resource: string, amounts: Amounts, options?: LimitsOptions): Promise<number> {
    return this.#engine.timeUntilAvailable(entity, resource, amounts, options);
  }

  /** What holds for an entity on a resource: its limits and where they come from, and the ancestors that it cascades to. */
  explain(entity: string, resource: string): Promise<Explanation> {
    return this.#engine.explain(entity, resource);
  }

  /** Whether the table answers within that time. Never throws for a table that does not; costs one read. */
  async isAvailable(timeoutMs = 1_000): Promise<boolean> {
    this.#engine.checkOpen('ask whether the table is available');
    checkInteger('timeoutMs', timeoutMs, 1, HOUR_MS);
    return this.#engine.track(answersWithin(this.#world, timeoutMs));
  }

  /** Forgets all that was read of limits and entities, in this process only: the next calls read again. */
  invalidate(): void {
    this.#engine.configs.clear();
  }

  /** How the cache of limits and entities does. */
  cacheStats(): ConfigCacheStats {
    return this.#engine.configs.stats();
  }

  /** What this limiter has done, and what it cost. */
  stats(): LimiterStats {
    const clock = this.#world.clockWatch?.estimate();
    const events = this.#world.recorder?.stats();
    return {
      ...this.#engine.stats.snapshot(),
      ...(clock === undefined ? {} : { clock }),
      ...(events === undefined ? {} : { events }),
    };
  }

  /**
   * Writes the usage events of all leases that were committed so far, at once. Nothing is sent where none waits.
   *
   * @throws RateLimiterUnavailable, or the MillraceError of what is wrong with the table, if some could not be written in the
   *   time that `billing.flushDeadlineMs` gives; they are kept, and written as soon as they can be
   */
  async flush(): Promise<void> {
    await this.#world.recorder?.flush();
  }

  /**
   * Wraps the handler of a function that is frozen between its invocations, as AWS Lambda's are: each ends with a
   * {@link flush}, whether the handler returns or throws. If only the flush fails, the invocation does.
   *
   * @example
   * export const handler = limiter.withFlush(async (event) => { … });
   */
  withFlush<Args extends readonly unknown[], Result>(
    handler: (...args: Args) => Result | Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    if (typeof handler !== 'function') throw new ValidationError('handler', 'a function', handler);
    return async (...args) => {
      let result: Result;
      try {
        result = await handler(...args);
      } catch (error) {
        // What the handler threw is what its caller must see; events that could not be written wait for the next invocation.
        await this.flush().catch(() => undefined);
        throw error;
      }
      await this.flush();
      return result;
    };
  }

  /**
   * Waits until running calls have ended, and writes the usage events that wait. Leases that are open keep what they took;
   * settle them before.
   *
   * @throws RateLimiterUnavailable if some usage events could not be written; the limiter is closed all the same, and they are lost
   */
  async close(): Promise<void> {
    const { recorder, connection } = this.#world;
    await this.#engine.close();
    try {
      await (this.#isScoped ? recorder?.flush() : recorder?.close());
      if (!this.#isScoped) await Promise.all([...this.#world.endings].map((end) => end()));
    } finally {
      this.#stopListening();
      if (!this.#isScoped) connection.close();
    }
  }

  /** Closes: what `await using` does at the end of a block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
