import { createHash } from 'node:crypto';
import { ATTRIBUTE, type ConfigLevel, type ItemKey, listKey, listPartition, SCHEMA_VERSION } from '@millrace/core';
import type { ItemTable, ItemWrite } from './item-table.js';
import { levelName, levelNamed } from './level-name.js';

const PAGE_SIZE = 1_000;
/** DynamoDB's bound for a sort key, in bytes. Two names of 256 bytes, escaped twice, are longer. */
const MAX_SORT_BYTES = 1_024;

/** The link by which a level with limits is listed; there is none for a level that is read by its own name. */
export function listLink(namespaceId: string, level: ConfigLevel): ItemKey | undefined {
  if (level.level === 'resource') return listKey(namespaceId, { list: 'resources' }, level.resource);
  if (level.level === 'entity') {
    return listKey(namespaceId, { list: 'entities-with-limits', resource: level.resource }, level.entity);
  }
  return undefined;
}

/** The link from a manifest to a level that its apply has made. */
export function managedLink(namespaceId: string, manifest: string, level: ConfigLevel): ItemKey {
  const key = listKey(namespaceId, { list: 'managed', manifest }, levelName(level));
  if (Buffer.byteLength(key.sort) <= MAX_SORT_BYTES) return key;
  // No level's name begins with "#", so a digest never meets a name.
  return { partition: key.partition, sort: `#${createHash('sha256').update(key.sort).digest('hex')}` };
}

/** Writes a link. The level's name is on the item, because the key of a long one does not tell it. */
export function putLink(key: ItemKey, name?: string): ItemWrite {
  return {
    kind: 'put',
    item: {
      [ATTRIBUTE.partitionKey]: key.partition,
      [ATTRIBUTE.sortKey]: key.sort,
      [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
      ...(name === undefined ? {} : { [ATTRIBUTE.name]: name }),
    },
  };
}

/** The levels that a manifest's applies have made and not taken away. One read for each thousand. */
export async function managedLevels(items: ItemTable, namespaceId: string, manifest: string): Promise<readonly ConfigLevel[]> {
  const partition = listPartition(namespaceId, { list: 'managed', manifest });
  const levels: ConfigLevel[] = [];
  let after: string | undefined;
  do {
    const page = await items.query({ partition, pageSize: PAGE_SIZE, ...(after === undefined ? {} : { after }) });
    for (const item of page.items) {
      const level = levelNamed(String(item[ATTRIBUTE.name]));
      if (level !== undefined) levels.push(level);
    }
    after = page.next;
  } while (after !== undefined);
  return levels;
}
