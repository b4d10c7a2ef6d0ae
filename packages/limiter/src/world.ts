import { setTimeout as sleepFor } from 'node:timers/promises';
import { MillraceError, type Sleep } from '@millrace/core';
import { eventIds } from './admin/audit-log.js';
import type { ItemTable } from './admin/item-table.js';
import { type Connection, type ConnectionOptions, connect } from './dynamo/client.js';
import { DocumentTable } from './dynamo/document-table.js';
import { DynamoStore } from './dynamo/dynamo-store.js';
import { Sender } from './dynamo/sender.js';
import { type Engine, type EngineOptions, MonotonicClock, publicError, type RetryParts, Stats, withRetries } from './engine/index.js';
import type { CheckedOptions } from './options.js';

/** What limiters of several namespaces of one table share. */
export interface World {
  readonly table: string;
  /** The namespace that was opened first. */
  readonly namespace: string;
  readonly actor: string | undefined;
  readonly connection: Connection;
  readonly store: DynamoStore;
  readonly items: ItemTable;
  readonly newEventId: () => string;
  readonly engine: Omit<EngineOptions, 'namespaceId'>;
  readonly parts: RetryParts;
  readonly deadlineMs: number;
}

/** A sleep that can be cut short, so that nobody's timer outlives the wait that it is for. */
const sleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });

/** Connects, and makes everything that does not depend on a namespace. Sends nothing to the table. */
export async function openWorld(checked: CheckedOptions, options: ConnectionOptions): Promise<World> {
  const { table, namespace, actor, requestTimeoutMs, deadlineMs, configTtlMs, maxEntries, maxWaiters, hedging } = checked;
  const connection = await connect(options, table);
  const stats = new Stats();
  const clock = new MonotonicClock(checked.clock);
  const runtime = { clock, sleep, random: Math.random, stats };
  // No request outlives the call that it belongs to.
  const timeoutMs = Math.min(requestTimeoutMs, deadlineMs);
  const sender = new Sender(connection.client, table, timeoutMs, (...request) => stats.request(...request));
  const store = new DynamoStore(sender, table);
  return {
    table,
    namespace,
    actor,
    connection,
    store,
    items: new DocumentTable(sender, table, runtime, deadlineMs),
    newEventId: eventIds(() => clock.nowMs()),
    engine: { ...runtime, store, deadlineMs, configTtlMs, maxEntries, maxWaiters, hedging },
    parts: runtime,
    deadlineMs,
  };
}

/** The id of a namespace that is in use. */
export async function findNamespaceId(world: World, name: string): Promise<string> {
  const { parts, store, deadlineMs, table } = world;
  const record = await withRetries(parts, parts.clock.nowMs() + deadlineMs, 'unknown', () => store.findNamespace(name));
  if (record === undefined) {
    throw new MillraceError('NAMESPACE_NOT_FOUND', `table "${table}" has no namespace "${name}"; register it, or check the name`);
  }
  if (record.state !== 'active') {
    throw new MillraceError(
      'NAMESPACE_STATE',
      `namespace "${name}" of table "${table}" is ${record.state}; recover it, or open another one`,
    );
  }
  return record.id;
}

/** Whether the registry can be read within a time. What is wrong does not matter; only that there is no answer. */
export async function answersWithin(world: World, timeoutMs: number): Promise<boolean> {
  const late = new AbortController();
  try {
    const timeout = sleepFor(timeoutMs, false, { signal: late.signal }).catch(() => false);
    const answer = world.store.findNamespace(world.namespace).then(
      () => true,
      () => false,
    );
    return await Promise.race([answer, timeout]);
  } finally {
    late.abort();
  }
}

/** Runs an operation of administration as a call of a limiter: not once it is closed, and waited for when it closes. */
export function runFor<T>(engine: Engine, operation: string, work: () => Promise<T>): Promise<T> {
  return engine.track(
    (async () => {
      engine.checkOpen(operation);
      try {
        return await work();
      } catch (error) {
        throw publicError(error);
      }
    })(),
  );
}
