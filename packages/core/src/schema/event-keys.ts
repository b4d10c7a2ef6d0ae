import type { BucketRef } from '../bucket.js';
import { escapeName, type ItemKey, unescapeName } from './keys.js';

/** Names the usage events of one entity on one resource, which share a partition. */
export interface EventsRef {
  /** The opaque id of the namespace, not its name. */
  readonly namespaceId: string;
  readonly entity: string;
  readonly resource: string;
}

/** Where the usage events of an entity on a resource lie, with the names of those that have one and the meter that counts them. */
export function eventsPartition({ namespaceId, entity, resource }: EventsRef): string {
  return `${namespaceId}/v/${escapeName(entity)}/${escapeName(resource)}`;
}

export const EVENT_PREFIX = 'e/';

/** One usage event. Its id is a ULID of the moment at which the lease was committed, so that a range of time is one Query. */
export function eventKey(ref: EventsRef, id: string): ItemKey {
  return { partition: eventsPartition(ref), sort: EVENT_PREFIX + id };
}

/** The name that a caller gave an event. There is one item of this key, so there is one event of this name. */
export function eventNameKey(ref: EventsRef, name: string): ItemKey {
  return { partition: eventsPartition(ref), sort: `k/${escapeName(name)}` };
}

const METER_PREFIX = 'm/';

/**
 * The meter of the usage events of an entity on a resource: what they sum up to, and how many they are. It is written in the
 * transaction that writes the events, and its counters go from somewhere to somewhere as those of a bucket do.
 */
export function meterKey(ref: EventsRef): ItemKey {
  return { partition: eventsPartition(ref), sort: `${METER_PREFIX}0` };
}

/** The meter that a key names, as the item of a bucket that has as many shards; undefined where it names something else. */
export function parseMeterKey(partition: string, sort: string): BucketRef | undefined {
  const [namespaceId, kind, entity, resource, ...rest] = partition.split('/');
  if (kind !== 'v' || !namespaceId || !entity || !resource || rest.length > 0) return undefined;
  const shard = sort.startsWith(METER_PREFIX) ? sort.slice(METER_PREFIX.length) : '';
  if (!/^(0|[1-9]\d{0,2})$/.test(shard)) return undefined;
  return { namespaceId, entity: unescapeName(entity), resource: unescapeName(resource), shard: Number(shard) };
}
