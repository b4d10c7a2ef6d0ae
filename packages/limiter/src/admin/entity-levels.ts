import { ATTRIBUTE, configKey, ENTITY_LIMITS_PREFIX, unescapeName } from '@millrace/core';
import type { Administration } from './administration.js';
import type { Item } from './item-table.js';
import { configOfItem } from './level-item.js';
import { type StoredLevel, storedLevel } from './stored-level.js';

/** Limits of an entity's own. */
export interface EntityLevel extends StoredLevel {
  /** The resource that they are for; absent for the entity's default. */
  readonly resource?: string;
}

/** A page of an entity's limits, its default first. */
export interface EntityLevelPage {
  readonly levels: readonly EntityLevel[];
  /** Hand it in as `after` to go on; absent on the last page. */
  readonly next?: string;
}

/**
 * Reads the limits that an entity itself has. The first page has the default in addition to its size, so that each
 * page goes on behind a resource. What is left of deleted levels is read and skipped: one read, more where there is much of it.
 */
export async function readEntityLevels(
  { items, namespaceId }: Pick<Administration, 'items' | 'namespaceId'>,
  entity: string,
  pageSize: number,
  after: string | undefined,
): Promise<EntityLevelPage> {
  const first = configKey(namespaceId, { level: 'entity-default', entity });
  const levels: EntityLevel[] = [];
  if (after === undefined) levels.push(...levelsIn(await items.get([first])));
  const size = pageSize + levels.length;
  let next = after === undefined ? undefined : configKey(namespaceId, { level: 'entity', entity, resource: after }).sort;
  do {
    const page = await items.query({
      partition: first.partition,
      prefix: ENTITY_LIMITS_PREFIX,
      pageSize: size - levels.length,
      ...(next === undefined ? {} : { after: next }),
    });
    levels.push(...levelsIn(page.items));
    next = page.next;
  } while (next !== undefined && levels.length < size);
  return next === undefined ? { levels } : { levels, next: resourceOf(next) };
}

function levelsIn(items: readonly (Item | undefined)[]): readonly EntityLevel[] {
  return items.flatMap((item) => {
    const level = storedLevel(configOfItem(item));
    if (item === undefined || level === undefined) return [];
    const sort = String(item[ATTRIBUTE.sortKey]);
    return [sort.startsWith(ENTITY_LIMITS_PREFIX) ? { resource: resourceOf(sort), ...level } : level];
  });
}

function resourceOf(sort: string): string {
  return unescapeName(sort.slice(ENTITY_LIMITS_PREFIX.length));
}
