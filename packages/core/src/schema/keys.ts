import type { BucketRef } from '../bucket.js';
import type { ConfigRef } from '../config.js';

/** The primary key of an item. */
export interface ItemKey {
  readonly partition: string;
  readonly sort: string;
}

/** Where the registry of namespaces lives; no namespace's id begins with `_`. */
export const REGISTRY_PARTITION = '_/namespaces';

/** Names may hold the separator: it is escaped, and so is the escape, which makes escaping reversible and so unambiguous. */
export function escapeName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** The name that {@link escapeName} made a part of a key of. */
export function unescapeName(escaped: string): string {
  return escaped.replaceAll('%2F', '/').replaceAll('%25', '%');
}

/**
 * A bucket: the buckets of an entity share a partition, so that one Query finds them all without an index. Each shard has
 * a partition of its own, so that shards spread over those of DynamoDB.
 */
export function bucketKey(ref: BucketRef): ItemKey {
  return { partition: `${ref.namespaceId}/b/${escapeName(ref.entity)}/${ref.shard}`, sort: escapeName(ref.resource) };
}

/** The bucket that a key names, or undefined where it names something else. */
export function parseBucketKey(partition: string, sort: string): BucketRef | undefined {
  const [namespaceId, kind, entity, shard, ...rest] = partition.split('/');
  if (kind !== 'b' || !namespaceId || !entity || rest.length > 0 || sort === '' || sort.includes('/')) return undefined;
  if (shard === undefined || !/^(0|[1-9]\d{0,2})$/.test(shard)) return undefined;
  return { namespaceId, entity: unescapeName(entity), resource: unescapeName(sort), shard: Number(shard) };
}

/** Names a bucket in one text, which no other bucket has: no part of its key holds the separator. */
export function bucketName(ref: BucketRef): string {
  const { partition, sort } = bucketKey(ref);
  return `${partition}/${sort}`;
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

/** An item of the configuration: a level's limits, or an entity's own item. */
export function configKey(namespaceId: string, ref: ConfigRef): ItemKey {
  switch (ref.level) {
    case 'lineage':
      return entityKey(namespaceId, ref.entity);
    case 'entity':
      return { partition: entityKey(namespaceId, ref.entity).partition, sort: ENTITY_LIMITS_PREFIX + escapeName(ref.resource) };
    case 'entity-default':
      return { partition: entityKey(namespaceId, ref.entity).partition, sort: 'limits' };
    case 'resource':
      return { partition: `${namespaceId}/r/${escapeName(ref.resource)}`, sort: 'limits' };
    case 'system':
      return { partition: `${namespaceId}/s`, sort: 'limits' };
  }
}

/** Names an item of the configuration within a process. A name has no line break, so the parts are told apart. */
export function configName(namespaceId: string, ref: ConfigRef): string {
  const { partition, sort } = configKey(namespaceId, ref);
  return `${partition}\n${sort}`;
}

/** What the sort keys of an entity's limits on a resource begin with; its default limits have none after it. */
export const ENTITY_LIMITS_PREFIX = 'limits/';

/** What can be listed: each is a partition of links, written in the same transaction as what they lead to. */
export type ListName =
  | { readonly list: 'entities' }
  /** The resources that have limits of their own. */
  | { readonly list: 'resources' }
  /** The entities that have limits of their own for a resource. */
  | { readonly list: 'entities-with-limits'; readonly resource: string }
  /** What the apply of a manifest has made. */
  | { readonly list: 'managed'; readonly manifest: string };

/** The partition of a list. */
export function listPartition(namespaceId: string, name: ListName): string {
  const of = 'resource' in name ? `/${escapeName(name.resource)}` : 'manifest' in name ? `/${escapeName(name.manifest)}` : '';
  return `${namespaceId}/l/${name.list}${of}`;
}

/** The link of a list to a name. */
export function listKey(namespaceId: string, list: ListName, name: string): ItemKey {
  return { partition: listPartition(namespaceId, list), sort: escapeName(name) };
}

/** Where audit events lie: all of a namespace, or, once more, those about one subject. Sort keys are ULIDs, so time orders them. */
export function auditPartition(namespaceId: string, subject?: string): string {
  return subject === undefined ? `${namespaceId}/a` : `${namespaceId}/a/${escapeName(subject)}`;
}

/** The schema that a table is in. */
export const SCHEMA_KEY: ItemKey = { partition: '_/schema', sort: 'version' };

/** The lock of a manifest: one apply at a time. */
export function manifestLockKey(namespaceId: string, manifest: string): ItemKey {
  return { partition: `${namespaceId}/m/${escapeName(manifest)}`, sort: 'lock' };
}

/** What a stack has last applied of a manifest, and which resource of it. */
export function manifestStateKey(namespaceId: string, manifest: string): ItemKey {
  return { partition: `${namespaceId}/m/${escapeName(manifest)}`, sort: 'stack' };
}

/** A namespace's entry in the registry. */
export function namespaceKey(name: string): ItemKey {
  return { partition: REGISTRY_PARTITION, sort: escapeName(name) };
}
