import type { BucketRef } from '../bucket.js';

/** The primary key of an item. */
export interface ItemKey {
  readonly partition: string;
  readonly sort: string;
}

/** Where the registry of namespaces lives; no namespace's id begins with `_`. */
const REGISTRY = '_/namespaces';

/** Names may hold the separator: it is escaped, and so is the escape, which makes escaping reversible and so unambiguous. */
export function escapeName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** The name that {@link escapeName} made a part of a key of. */
export function unescapeName(escaped: string): string {
  return escaped.replaceAll('%2F', '/').replaceAll('%25', '%');
}

/** A bucket: a partition of its own for each shard, so that shards spread over DynamoDB's partitions. */
export function bucketKey(ref: BucketRef): ItemKey {
  return { partition: `${ref.namespaceId}/b/${escapeName(ref.entity)}/${escapeName(ref.resource)}/${ref.shard}`, sort: 'bucket' };
}

/** The bucket that a partition key names, or undefined where it names something else. */
export function parseBucketKey(partition: string): BucketRef | undefined {
  const [namespaceId, kind, entity, resource, shard, ...rest] = partition.split('/');
  if (kind !== 'b' || namespaceId === undefined || entity === undefined || resource === undefined || rest.length > 0) return undefined;
  if (shard === undefined || !/^(0|[1-9]\d{0,2})$/.test(shard)) return undefined;
  return { namespaceId, entity: unescapeName(entity), resource: unescapeName(resource), shard: Number(shard) };
}

/** An entity; its children are links in the same partition. */
export function entityKey(namespaceId: string, entity: string): ItemKey {
  return { partition: `${namespaceId}/e/${escapeName(entity)}`, sort: 'entity' };
}

export const CHILD_PREFIX = 'child/';

/** The link from an entity to one of its children. */
export function childKey(namespaceId: string, parent: string, child: string): ItemKey {
  return { partition: entityKey(namespaceId, parent).partition, sort: CHILD_PREFIX + escapeName(child) };
}

/** A namespace's entry in the registry. */
export function namespaceKey(name: string): ItemKey {
  return { partition: REGISTRY, sort: escapeName(name) };
}
