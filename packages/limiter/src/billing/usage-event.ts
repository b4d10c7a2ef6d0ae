import {
  ATTRIBUTE,
  checkSchemaVersion,
  counterBase,
  EVENT_PREFIX,
  type EventsRef,
  eventKey,
  eventNameKey,
  eventsPartition,
  type ItemKey,
  limitAttribute,
  MillraceError,
  meterKey,
  SCHEMA_VERSION,
} from '@millrace/core';
import { decodeTime, isValid } from 'ulid';
import { type Count, type Item, type ItemWrite, keyOf, MAX_TRANSACTION_WRITES } from '../admin/item-table.js';
import type { Amounts, EventMeta } from '../engine/index.js';

/** One committed lease, as it was recorded. */
export interface UsageEvent {
  /** A ULID: events sort by time. */
  readonly id: string;
  /** When the lease was committed. */
  readonly at: Date;
  /** What it used of each limit, in tokens, adjustments included. */
  readonly amounts: Amounts;
  readonly idempotencyKey?: string;
  readonly meta?: EventMeta;
  /** True where some of it is on no bucket's books, because the store could not be reached. */
  readonly degraded: boolean;
}

/** An event that waits to be written. Its id is given once, so that it is one event however often it is sent. */
export interface PendingEvent {
  readonly id: string;
  readonly ref: EventsRef;
  readonly amounts: Amounts;
  readonly degraded: boolean;
  readonly meta?: EventMeta;
  readonly idempotencyKey?: string;
}

const DAY_SEC = 86_400;

/** The keys of which one is there if, and only if, an event was recorded: its own, or its name's. */
export function keysOf({ ref, id, idempotencyKey }: PendingEvent): readonly ItemKey[] {
  return idempotencyKey === undefined ? [eventKey(ref, id)] : [eventKey(ref, id), eventNameKey(ref, idempotencyKey)];
}

/**
 * Those of the events that go into the next transaction, the oldest first and with each all others of its meter, so that few
 * meters are written.
 */
export function nextBatch(events: Iterable<PendingEvent>): readonly PendingEvent[] {
  const meters = new Map<string, PendingEvent[]>();
  for (const event of events) {
    const partition = eventsPartition(event.ref);
    const known = meters.get(partition);
    if (known === undefined) meters.set(partition, [event]);
    else known.push(event);
  }
  const batch: PendingEvent[] = [];
  let room = MAX_TRANSACTION_WRITES;
  for (const own of meters.values()) {
    room -= 1;
    for (const event of own) {
      room -= keysOf(event).length;
      if (room < 0) return batch;
      batch.push(event);
    }
  }
  return batch;
}

/** The writes of a transaction that records events: all of them, and what they sum up to, or none. */
export function writesOf(events: readonly PendingEvent[], nowMs: number, retentionDays: number): readonly ItemWrite[] {
  const meters = new Map<string, PendingEvent[]>();
  for (const event of events) meters.set(eventsPartition(event.ref), [...(meters.get(eventsPartition(event.ref)) ?? []), event]);
  return [
    ...events.flatMap((event) => eventWrites(event, retentionDays)),
    ...[...meters.values()].map((own) => meterWrite(own, Math.floor(nowMs), retentionDays)),
  ];
}

function eventWrites(event: PendingEvent, retentionDays: number): readonly ItemWrite[] {
  const { ref, id, amounts, degraded, meta, idempotencyKey } = event;
  const shared = { [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION, [ATTRIBUTE.ttlSec]: expiresSec(decodeTime(id), retentionDays) };
  const details = {
    [ATTRIBUTE.amounts]: amounts,
    // As JSON: a map of DynamoDB has no room for what it may hold.
    ...(meta === undefined ? {} : { [ATTRIBUTE.meta]: JSON.stringify(meta) }),
    ...(degraded ? { [ATTRIBUTE.degraded]: true } : {}),
  };
  const own = newItem(eventKey(ref, id), {
    ...shared,
    ...details,
    ...(idempotencyKey === undefined ? {} : { [ATTRIBUTE.eventName]: idempotencyKey }),
  });
  return idempotencyKey === undefined ? [own] : [own, newItem(eventNameKey(ref, idempotencyKey), { ...shared, [ATTRIBUTE.eventId]: id })];
}

function newItem({ partition, sort }: ItemKey, attributes: Item): ItemWrite {
  const item = { [ATTRIBUTE.partitionKey]: partition, [ATTRIBUTE.sortKey]: sort, ...attributes };
  return { kind: 'put', item, when: [{ attribute: ATTRIBUTE.partitionKey, is: 'absent' }] };
}

/** The meter has the counters of a bucket, and begins them as one does: so one reducer takes the records of both. */
function meterWrite(events: readonly PendingEvent[], nowMs: number, retentionDays: number): ItemWrite {
  const [first] = events;
  if (first === undefined) throw new Error('a meter is written with events only');
  const nowUs = nowMs * 1_000;
  const base = counterBase(nowUs);
  const count: Record<string, Count> = {
    [ATTRIBUTE.seq]: { begin: nowUs, add: events.length },
    [ATTRIBUTE.eraUs]: { begin: nowUs, add: 0 },
  };
  for (const [limit, tokens] of totals(events)) {
    count[limitAttribute('used', limit)] = { begin: base, add: tokens };
    count[limitAttribute('returned', limit)] = { begin: base, add: 0 };
  }
  const set = {
    [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
    [ATTRIBUTE.updatedAtMs]: nowMs,
    [ATTRIBUTE.ttlSec]: expiresSec(nowMs, retentionDays),
  };
  return { kind: 'update', key: meterKey(first.ref), set, count };
}

function totals(events: readonly PendingEvent[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { amounts } of events) {
    for (const [limit, tokens] of Object.entries(amounts)) sums.set(limit, (sums.get(limit) ?? 0) + tokens);
  }
  return sums;
}

function expiresSec(atMs: number, retentionDays: number): number {
  return Math.floor(atMs / 1_000) + retentionDays * DAY_SEC;
}

/**
 * The event that an item holds.
 *
 * @throws MillraceError `UNREADABLE_RECORD` if it holds none, `SCHEMA_VERSION` if it is of a release too far from this one
 */
export function eventOf(item: Item): UsageEvent {
  const { partition, sort } = keyOf(item);
  const id = sort.slice(EVENT_PREFIX.length);
  const { [ATTRIBUTE.amounts]: amounts, [ATTRIBUTE.meta]: meta, [ATTRIBUTE.eventName]: name } = item;
  if (!isValid(id) || typeof amounts !== 'object' || amounts === null) {
    throw new MillraceError('UNREADABLE_RECORD', `"${partition}", "${sort}" is no usage event`, { data: { partition, sort } });
  }
  checkSchemaVersion(`the usage event "${id}"`, Number(item[ATTRIBUTE.schemaVersion]));
  return {
    id,
    at: new Date(decodeTime(id)),
    // DynamoDB gives the parts of a map in any order; what is told has one.
    amounts: Object.fromEntries(Object.entries(amounts as Amounts).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(typeof name === 'string' ? { idempotencyKey: name } : {}),
    ...(typeof meta === 'string' ? { meta: JSON.parse(meta) as EventMeta } : {}),
    degraded: item[ATTRIBUTE.degraded] === true,
  };
}
