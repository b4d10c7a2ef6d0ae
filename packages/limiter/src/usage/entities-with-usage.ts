import { bucketKey, type ItemKey, parseBucketKey, unescapeName, usagePartition } from '@millrace/core';
import { keyOf } from '../admin/item-table.js';
import { allResources } from './read-windows.js';
import type { UsageParts } from './usage-parts.js';

const SCAN_PAGE = 1_000;

/**
 * Every entity that has used anything, once: those of which there are windows, and those that only have buckets. It reads
 * the keys of the whole table, a page at a time, since no list of entities is complete: they need not be created.
 */
export async function* entitiesWithUsage({ items, namespaceId }: UsageParts): AsyncGenerator<string> {
  let [after, seen]: [ItemKey | undefined, string] = [undefined, ''];
  do {
    const page = await items.scan(`${namespaceId}/`, after, SCAN_PAGE);
    for (const key of page.keys) {
      // The items of a partition follow each other.
      if (key.partition === seen) continue;
      seen = key.partition;
      const entity = entityOf(key);
      if (entity === undefined) continue;
      if (key.partition === usagePartition(namespaceId, entity)) yield entity;
      else if ((await items.query({ partition: usagePartition(namespaceId, entity), pageSize: 1 })).items.length === 0) yield entity;
    }
    after = page.next;
  } while (after !== undefined);
}

function entityOf({ partition, sort }: ItemKey): string | undefined {
  const [, kind, name] = partition.split('/');
  if (kind === 'u' && name !== undefined) return unescapeName(name);
  const bucket = parseBucketKey(partition, sort);
  return bucket?.shard === 0 ? bucket.entity : undefined;
}

/** Every resource that an entity has used: those of its windows and those of its buckets. */
export async function resourcesUsed(parts: UsageParts, entity: string): Promise<readonly string[]> {
  const names = new Set(await allResources(parts, entity));
  if (parts.source === 'events') return [...names];
  const { partition } = bucketKey({ namespaceId: parts.namespaceId, entity, resource: '', shard: 0 });
  let after: string | undefined;
  do {
    // The first item of a bucket outlives all others, so it alone tells of the bucket.
    const page = await parts.items.query({ partition, pageSize: SCAN_PAGE, ...(after === undefined ? {} : { after }) });
    for (const item of page.items) names.add(unescapeName(keyOf(item).sort));
    after = page.next;
  } while (after !== undefined);
  return [...names];
}
