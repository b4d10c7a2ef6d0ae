import { ATTRIBUTE, configKey, type ItemKey, nextVersion, SCHEMA_VERSION, ValidationError } from '@millrace/core';
import type { ActorOptions } from './administration.js';
import type { Item, ItemTable, ItemWrite } from './item-table.js';
import { asRead } from './level-item.js';

/** How far a purge has come. */
export interface PurgeProgress {
  /** Items deleted by this call so far. */
  readonly deleted: number;
}

/** How a purge is done. */
export interface PurgeOptions extends ActorOptions {
  /** How many items are deleted before progress is told, from 1 to 1,000. @default 100 */
  readonly batchSize?: number;
  /** Called after each batch. What it throws ends the purge, which can be gone on with. */
  readonly onProgress?: (progress: PurgeProgress) => void;
}

/** What a purge has done. */
export interface PurgeResult {
  /** Items deleted by this call; an earlier call that ended early may have deleted others. */
  readonly deleted: number;
}

/** How many items one request of a scan looks at; DynamoDB ends a page at 1 MB anyway. */
const SCAN_PAGE = 1_000;

/**
 * Deletes all items of a namespace but the one that closes it, until a whole scan finds none: a writer that did not know
 * yet may write behind a scan that has passed. Tells how many. It may be ended anywhere and begun again.
 */
export async function purgeItems(
  items: ItemTable,
  namespaceId: string,
  batchSize: number,
  onProgress: PurgeOptions['onProgress'],
): Promise<number> {
  const closed = configKey(namespaceId, { level: 'system' });
  let deleted = 0;
  for (;;) {
    const before = deleted;
    let after: ItemKey | undefined;
    do {
      const page = await items.scan(`${namespaceId}/`, after, SCAN_PAGE);
      const keys = page.keys.filter(({ partition, sort }) => partition !== closed.partition || sort !== closed.sort);
      for (let start = 0; start < keys.length; start += batchSize) {
        const batch = keys.slice(start, start + batchSize);
        await items.deleteAll(batch);
        deleted += batch.length;
        onProgress?.({ deleted });
      }
      after = page.next;
    } while (after !== undefined);
    if (deleted === before) return deleted;
  }
}

/**
 * The write that leaves of a purged namespace one item, which says that it is closed. It holds nothing of what was there, and
 * never expires: nobody knows for how long a limiter keeps the namespace open, and only this item refuses what it writes.
 */
export function tombstoneWrite(namespaceId: string, system: Item | undefined, nowMs: number): ItemWrite {
  const { partition, sort } = configKey(namespaceId, { level: 'system' });
  const version = Number(system?.[ATTRIBUTE.version] ?? 0);
  return {
    kind: 'put',
    item: {
      [ATTRIBUTE.partitionKey]: partition,
      [ATTRIBUTE.sortKey]: sort,
      [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
      [ATTRIBUTE.version]: nextVersion({ version }, nowMs),
      [ATTRIBUTE.updatedAtMs]: Math.floor(nowMs),
      [ATTRIBUTE.closed]: true,
      [ATTRIBUTE.deleted]: true,
    },
    when: asRead(system),
  };
}

/** Checks a callback for progress. */
export function checkProgress(onProgress: unknown): void {
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new ValidationError('option "onProgress"', 'a function', onProgress);
}
