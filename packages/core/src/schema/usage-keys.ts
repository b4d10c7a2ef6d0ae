import type { BucketRef } from '../bucket.js';
import { instantMs, instantText } from '../instant.js';
import { escapeName, type ItemKey, unescapeName } from './keys.js';

/** The types of usage windows, the shortest first. */
export const WINDOW_TYPES = ['hour', 'day', 'week', 'month'] as const;

export type WindowType = (typeof WINDOW_TYPES)[number];

/** What usage windows are made of: the counters of buckets, or those of the meters of usage events. */
export const USAGE_SOURCES = ['buckets', 'events'] as const;

export type UsageSource = (typeof USAGE_SOURCES)[number];

const SOURCE_KINDS: Readonly<Record<UsageSource, string>> = { buckets: 'u', events: 'uv' };

/**
 * Names the item of one usage window: what one bucket item used in it, in one era of that item. The usage of an entity
 * in a window is the sum over the shards of its bucket, and over their eras.
 */
export interface WindowRef {
  readonly bucket: BucketRef;
  /** What was counted: what buckets gave out, or what was recorded of leases that were committed. @default 'buckets' */
  readonly source?: UsageSource;
  /** When the counters of the bucket item began; 0 where no writer has said so: see {@link BucketState.eraUs}. */
  readonly eraUs: number;
  readonly type: WindowType;
  /** The moment at which the window begins; one type in one zone has one window that begins then. */
  readonly startMs: number;
}

/** Where the usage of an entity lies: all resources, types and windows. */
export function usagePartition(namespaceId: string, entity: string, source: UsageSource = 'buckets'): string {
  return `${namespaceId}/${SOURCE_KINDS[source]}/${escapeName(entity)}`;
}

/**
 * What the sort keys of the windows of a type and resource begin with, and of those that begin at a moment. The half-open
 * range from one moment to another is what sorts from the text of the one up to, and without, that of the other.
 */
export function usageSort(type: WindowType, resource: string, startMs?: number): string {
  return `${type}/${escapeName(resource)}/${startMs === undefined ? '' : instantText(startMs)}`;
}

/** The key of a usage window: sorted by type, resource and time, so that a range of time is one Query. */
export function usageKey({ bucket, source, eraUs, type, startMs }: WindowRef): ItemKey {
  return {
    partition: usagePartition(bucket.namespaceId, bucket.entity, source),
    sort: `${usageSort(type, bucket.resource, startMs)}/${bucket.shard}/${eraUs}`,
  };
}

/** The usage window that a key names, or undefined where it names something else. */
export function parseUsageKey(partition: string, sort: string): WindowRef | undefined {
  const [namespaceId, kind, entity, ...others] = partition.split('/');
  const [typeText, resource, start = '', shard = '', era = '', ...rest] = sort.split('/');
  const source = USAGE_SOURCES.find((known) => SOURCE_KINDS[known] === kind);
  if (source === undefined || !namespaceId || !entity || !resource || others.length + rest.length > 0) return undefined;
  const [type, startMs] = [WINDOW_TYPES.find((known) => known === typeText), instantMs(start)];
  if (type === undefined || startMs === undefined || !/^(0|[1-9]\d{0,2})$/.test(shard) || !/^(0|[1-9]\d{0,15})$/.test(era))
    return undefined;
  const bucket = { namespaceId, entity: unescapeName(entity), resource: unescapeName(resource), shard: Number(shard) };
  return { bucket, ...(source === 'buckets' ? {} : { source }), eraUs: Number(era), type, startMs };
}

/**
 * Over how many names of the index the entities of one window are spread. At the top of an hour everybody's first write of
 * the hour makes an item, and one partition of an index takes a thousand of those a second.
 */
const WINDOW_NAMES = 8;

/**
 * The name that a window has in the index: of its type, resource and start, and one of a few by its entity. It never changes.
 * Windows of events are not in the index, which would cost them a unit each.
 */
export function windowName({ bucket, source, type, startMs }: WindowRef): string | undefined {
  if (source === 'events') return undefined;
  let hash = 2_166_136_261;
  for (let index = 0; index < bucket.entity.length; index += 1) {
    hash = Math.imul(hash ^ bucket.entity.charCodeAt(index), 16_777_619) >>> 0;
  }
  return nameInIndex(bucket.namespaceId, type, bucket.resource, startMs, hash % WINDOW_NAMES);
}

/** All names under which the index has the entities that used a resource in a window. */
export function windowNames(namespaceId: string, type: WindowType, resource: string, startMs: number): readonly string[] {
  return Array.from({ length: WINDOW_NAMES }, (_, share) => nameInIndex(namespaceId, type, resource, startMs, share));
}

function nameInIndex(namespaceId: string, type: WindowType, resource: string, startMs: number, share: number): string {
  return `${namespaceId}/w/${usageSort(type, resource, startMs)}/${share}`;
}

/** The seal of a closed window of a resource: what all entities used in it, and a hash by which a later change is seen. */
export function sealKey(namespaceId: string, type: WindowType, resource: string, startMs: number): ItemKey {
  return { partition: `${namespaceId}/seal/${escapeName(resource)}`, sort: `${type}/${instantText(startMs)}` };
}

/** Where the zone of a namespace lies, for whoever knows only its id. */
export function zoneKey(namespaceId: string): ItemKey {
  return { partition: `${namespaceId}/z`, sort: 'zone' };
}
