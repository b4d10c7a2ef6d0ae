import {
  ATTRIBUTE,
  checkInteger,
  checkKeys,
  checkName,
  EVENT_PREFIX,
  eventKey,
  eventNameKey,
  eventsPartition,
  ValidationError,
} from '@millrace/core';
import { encodeTime, isValid } from 'ulid';
import type { Administration } from '../admin/administration.js';
import { eventOf, type UsageEvent } from '../billing/usage-event.js';
import { checkMoment } from './usage-parts.js';

/** Which usage events are asked for. */
export interface EventsOptions {
  readonly entity: string;
  readonly resource: string;
  /** Events from this moment on… */
  readonly from: Date;
  /** … and before this one. */
  readonly to: Date;
  /** How many a page may hold, from 1 to 1,000. @default 100 */
  readonly pageSize?: number;
  /** The `next` of the page before, with the same options. */
  readonly after?: string;
  /** @default 'oldest-first' */
  readonly order?: 'oldest-first' | 'newest-first';
}

/** A page of usage events, by time. */
export interface EventPage {
  readonly events: readonly UsageEvent[];
  /** Hand it in as `after` to go on; absent on the last page. */
  readonly next?: string;
}

/** Which usage event is asked for. */
export interface FindEventOptions {
  readonly entity: string;
  readonly resource: string;
  readonly idempotencyKey: string;
}

type EventParts = Pick<Administration, 'items' | 'namespaceId' | 'run'>;

/** A page of events. The place of a page is the id of its last event, so that what is written meanwhile moves nothing. */
export async function readEvents({ items, namespaceId, run }: EventParts, options: EventsOptions): Promise<EventPage> {
  checkKeys('options', options, ['entity', 'resource', 'from', 'to', 'pageSize', 'after', 'order']);
  const { pageSize = 100, after, order = 'oldest-first' } = options;
  const partition = eventsPartition({ namespaceId, ...checkPlace(options) });
  const [fromMs, toMs] = [checkMoment('from', options.from), checkMoment('to', options.to)];
  if (fromMs > toMs) throw new ValidationError('option "to"', `not before "from", ${options.from.toISOString()}`, options.to);
  if (after !== undefined && !isValid(after)) throw new ValidationError('option "after"', 'the "next" of a page of events', after);
  if (order !== 'newest-first' && order !== 'oldest-first') {
    throw new ValidationError('option "order"', '"oldest-first" or "newest-first"', order);
  }
  checkInteger('option "pageSize"', pageSize, 1, 1_000);
  return run('read usage events', async () => {
    const page = await items.query({
      partition,
      // An id begins with its time. The time alone sorts before all ids of it, so the end is not in the range.
      from: EVENT_PREFIX + encodeTime(fromMs),
      to: EVENT_PREFIX + encodeTime(toMs),
      ...(after === undefined ? {} : { after: EVENT_PREFIX + after }),
      newestFirst: order === 'newest-first',
      pageSize,
    });
    return { events: page.items.map(eventOf), ...(page.next === undefined ? {} : { next: page.next.slice(EVENT_PREFIX.length) }) };
  });
}

/** The event of an idempotency key; undefined where none was recorded, or it has expired. Two reads. */
export async function findEvent({ items, namespaceId, run }: EventParts, options: FindEventOptions): Promise<UsageEvent | undefined> {
  checkKeys('options', options, ['entity', 'resource', 'idempotencyKey']);
  const ref = { namespaceId, ...checkPlace(options) };
  const name = eventNameKey(ref, checkName('idempotencyKey', options.idempotencyKey));
  return run('find a usage event', async () => {
    const [named] = await items.get([name]);
    if (named === undefined) return undefined;
    const [item] = await items.get([eventKey(ref, String(named[ATTRIBUTE.eventId]))]);
    return item === undefined ? undefined : eventOf(item);
  });
}

function checkPlace({ entity, resource }: Pick<EventsOptions, 'entity' | 'resource'>) {
  return { entity: checkName('entity', entity), resource: checkName('resource', resource) };
}
