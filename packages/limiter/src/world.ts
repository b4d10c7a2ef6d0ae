import { setTimeout as sleepFor } from 'node:timers/promises';
import { MillraceError, type Sleep } from '@millrace/core';
import { eventIds } from './admin/audit-log.js';
import type { ItemTable } from './admin/item-table.js';
import type { FlushSignal } from './billing/billing-options.js';
import { EventRecorder } from './billing/event-recorder.js';
import { ClockWatch } from './clock-watch.js';
import { type Connection, type ConnectionOptions, connect } from './dynamo/client.js';
import { DocumentTable } from './dynamo/document-table.js';
import { openTransport } from './dynamo/open-transport.js';
import { Sender } from './dynamo/sender.js';
import { type Engine, type EngineOptions, MonotonicClock, publicError, type RetryParts, Stats, withRetries } from './engine/index.js';
import type { CheckedOptions } from './options.js';
import { DynamoStore } from './wire/dynamo-store.js';

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
  /** What opening works with. Its clock is the one that was given, so that the corrected one is first read when a reply has come. */
  readonly parts: RetryParts;
  /** Undefined if no lease is recorded. */
  readonly recorder: EventRecorder | undefined;
  readonly flushOn: readonly FlushSignal[];
  /** Undefined if the clock is taken as it is. */
  readonly clockWatch: ClockWatch | undefined;
  readonly deadlineMs: number;
  /** What is to be done when the limiter has ended its calls, and still has its connection. It must not throw. */
  readonly endings: Set<() => Promise<void>>;
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

/** Says once that somebody spins; the counter in `stats()` goes on. */
function warnOfSpinning(): (entity: string, resource: string) => void {
  let hasWarned = false;
  return (entity, resource) => {
    if (hasWarned) return;
    hasWarned = true;
    const message = `"${entity}" asks for "${resource}" more than a thousand times a second although it was refused; wait for retryAfterMs, or use waitMs`;
    process.emitWarning(message, { type: 'MillraceWarning', code: 'MILLRACE_SPINNING' });
  };
}

function warnOfBilling(message: string): void {
  process.emitWarning(message, { type: 'MillraceWarning', code: 'MILLRACE_BILLING' });
}

function warnOfClock(message: string): void {
  process.emitWarning(message, { type: 'MillraceWarning', code: 'MILLRACE_CLOCK' });
}

/** Connects, and makes everything that does not depend on a namespace. Sends nothing to the table. */
export async function openWorld(checked: CheckedOptions, options: ConnectionOptions): Promise<World> {
  const {
    table,
    namespace,
    actor,
    requestTimeoutMs,
    deadlineMs,
    configTtlMs,
    maxEntries,
    maxWaiters,
    maxShards,
    maxConnections,
    hedging,
    prefetch,
    billing,
  } = checked;
  const connected = await connect(options, table, maxConnections);
  const stats = new Stats();
  const clockWatch = checked.clockCorrection ? new ClockWatch(checked.clock, warnOfClock) : undefined;
  const clock = new MonotonicClock(clockWatch?.clock ?? checked.clock);
  const runtime = { clock, sleep, random: Math.random, stats };
  // No request outlives the call that it belongs to.
  const timeoutMs = Math.min(requestTimeoutMs, deadlineMs);
  const sending = { table, timeoutMs, maxConnections, onRequest: stats.request.bind(stats), times: clockWatch?.times };
  const { transport, connection } = await openTransport(checked.transport, connected, sending);
  const sender = new Sender(connection.client, table, timeoutMs, sending.onRequest, sending.times);
  const store = new DynamoStore(transport, table);
  const items = new DocumentTable(sender, table, runtime, deadlineMs);
  const newEventId = eventIds(() => clock.nowMs());
  const recording = { items, nowMs: () => clock.nowMs(), sleep, newEventId, deadlineMs, onTrouble: warnOfBilling };
  const recorder = billing === undefined ? undefined : new EventRecorder({ ...recording, settings: billing });
  return {
    table,
    namespace,
    actor,
    connection,
    store,
    items,
    newEventId,
    engine: {
      ...runtime,
      store,
      deadlineMs,
      configTtlMs,
      maxEntries,
      maxWaiters,
      sharding: { maxShards },
      hedging,
      onSpin: warnOfSpinning(),
      ...(prefetch === undefined ? {} : { prefetch }),
      ...(recorder === undefined ? {} : { recorder }),
    },
    parts: { ...runtime, clock: checked.clock },
    recorder,
    flushOn: billing?.flushOn ?? [],
    clockWatch,
    deadlineMs,
    endings: new Set(),
  };
}

/** The id of a namespace that is in use. */
export async function findNamespaceId(world: World, name: string): Promise<string> {
  const { parts, store, deadlineMs, table } = world;
  const record = await withRetries(parts, parts.clock.nowMs() + deadlineMs, 'unknown', () => store.findNamespace(name));
  if (record === undefined) {
    throw new MillraceError('NAMESPACE_NOT_FOUND', `table "${table}" has no namespace "${name}"; register it, or check the name`, {
      data: { table, namespace: name },
    });
  }
  if (record.state !== 'active') {
    throw new MillraceError(
      'NAMESPACE_STATE',
      `namespace "${name}" of table "${table}" is ${record.state}; recover it, or open another one`,
      { data: { table, namespace: name, namespaceId: record.id, state: record.state } },
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
