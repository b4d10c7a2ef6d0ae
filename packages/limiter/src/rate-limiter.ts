import { setTimeout as sleepFor } from 'node:timers/promises';
import { type Clock, checkInteger, checkKeys, checkName, MillraceError, ValidationError } from '@millrace/core';
import { type Connection, type ConnectionOptions, checkTableName, connect } from './dynamo/client.js';
import { DynamoStore } from './dynamo/dynamo-store.js';
import { Sender } from './dynamo/sender.js';
import {
  type AcquireOptions,
  type Amounts,
  Engine,
  type Lease,
  type LimiterStats,
  type LimitsOptions,
  MonotonicClock,
  publicError,
  Stats,
  type Verdict,
  withRetries,
} from './engine/index.js';
import { Entities } from './entities.js';

/** How a limiter is opened. All but `table` is optional. */
export interface RateLimiterOptions extends ConnectionOptions {
  /** The name of the table. */
  readonly table: string;
  /** @default 'default' */
  readonly namespace?: string;
  /** @default the system's time */
  readonly clock?: Clock;
  /** How long one request to DynamoDB may take, in milliseconds. @default 1000 */
  readonly requestTimeoutMs?: number;
  /** How long one call may go on sending requests, in milliseconds. @default 3000 */
  readonly deadlineMs?: number;
  /** How long what was read of an entity is believed, in milliseconds; 0 reads each time. @default 60000 */
  readonly configTtlMs?: number;
  /** How many buckets and entities are remembered. @default 10000 */
  readonly maxEntries?: number;
}

const KNOWN: readonly (keyof RateLimiterOptions)[] = [
  'table',
  'namespace',
  'endpoint',
  'region',
  'credentials',
  'client',
  'clock',
  'requestTimeoutMs',
  'deadlineMs',
  'configTtlMs',
  'maxEntries',
];
const HOUR_MS = 3_600_000;
const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() };

/**
 * A distributed rate limiter whose state is one DynamoDB table.
 *
 * @example
 * const limiter = await RateLimiter.open({ table: 'millrace' });
 * await limiter.withLease('key-1', 'gpt-4', { rpm: 1, tpm: 800 }, async (lease) => {
 *   const answer = await callModel();
 *   await lease.adjust({ tpm: answer.usage.total - 800 });
 * }, { limits });
 */
export class RateLimiter {
  /** The entities of this limiter's namespace. */
  readonly entities: Entities;
  readonly #engine: Engine;
  readonly #connection: Connection;

  private constructor(engine: Engine, entities: Entities, connection: Connection) {
    this.#engine = engine;
    this.entities = entities;
    this.#connection = connection;
  }

  /**
   * Opens a limiter: reads one item, the namespace's entry in the registry, and creates nothing.
   *
   * @throws MillraceError `TABLE_NOT_FOUND`, `TABLE_UNUSABLE`, `NAMESPACE_NOT_FOUND`, `CREDENTIALS`, `ACCESS_DENIED`
   * @throws RateLimiterUnavailable if DynamoDB cannot be reached
   */
  static async open(options: RateLimiterOptions): Promise<RateLimiter> {
    const { table, namespace, clock, requestTimeoutMs, deadlineMs, configTtlMs, maxEntries } = checkOptions(options);
    const stats = new Stats();
    const runtime = { sleep: async (ms: number) => void (await sleepFor(ms)), random: Math.random };
    let connection: Connection | undefined;
    try {
      connection = await connect(options, table);
      // No request outlives the call that it belongs to.
      const sender = new Sender(connection.client, table, Math.min(requestTimeoutMs, deadlineMs), (...request) =>
        stats.request(...request),
      );
      const store = new DynamoStore(sender, table);
      const engineClock = new MonotonicClock(clock);
      const parts = { ...runtime, clock: engineClock, stats };
      const record = await withRetries(parts, engineClock.nowMs() + deadlineMs, 'unknown', () => store.findNamespace(namespace));
      if (record === undefined) {
        throw new MillraceError('NAMESPACE_NOT_FOUND', `table "${table}" has no namespace "${namespace}"; register it, or check the name`);
      }
      const engine = new Engine({
        ...runtime,
        store,
        namespaceId: record.id,
        clock: engineClock,
        stats,
        deadlineMs,
        configTtlMs,
        maxEntries,
      });
      return new RateLimiter(engine, new Entities(engine, store, record.id, runtime, deadlineMs), connection);
    } catch (error) {
      connection?.close();
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

  /** What this limiter has done, and what it cost. */
  stats(): LimiterStats {
    return this.#engine.stats.snapshot();
  }

  /** Waits until running calls have ended. Leases that are open keep what they took; settle them before. */
  async close(): Promise<void> {
    await this.#engine.close();
    this.#connection.close();
  }

  /** Closes: what `await using` does at the end of a block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function checkOptions(options: RateLimiterOptions): Required<Omit<RateLimiterOptions, keyof ConnectionOptions>> {
  checkKeys('options', options, KNOWN);
  const { table, clock = SYSTEM_CLOCK } = options;
  if (typeof clock !== 'object' || clock === null || typeof clock.nowMs !== 'function') {
    throw new ValidationError('option "clock"', 'an object with nowMs()', clock);
  }
  return {
    table: checkTableName(table),
    clock,
    namespace: checkName('namespace', options.namespace ?? 'default'),
    requestTimeoutMs: checkInteger('option "requestTimeoutMs"', options.requestTimeoutMs ?? 1_000, 1, HOUR_MS),
    deadlineMs: checkInteger('option "deadlineMs"', options.deadlineMs ?? 3_000, 1, HOUR_MS),
    configTtlMs: checkInteger('option "configTtlMs"', options.configTtlMs ?? 60_000, 0, HOUR_MS),
    maxEntries: checkInteger('option "maxEntries"', options.maxEntries ?? 10_000, 1, 10_000_000),
  };
}
