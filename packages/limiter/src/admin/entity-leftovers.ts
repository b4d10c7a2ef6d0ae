import {
  ATTRIBUTE,
  bucketKey,
  type ConfigLevel,
  configKey,
  ENTITY_LIMITS_PREFIX,
  FIRST_LAYOUT,
  MAX_SHARDS,
  unescapeName,
} from '@millrace/core';
import { type Administration, inTurns } from './administration.js';
import { writeControl } from './entity-control.js';
import { type Item, type ItemWrite, keyOf, MAX_TRANSACTION_WRITES } from './item-table.js';
import { changeWrites } from './level-change.js';
import { configOfItem } from './level-item.js';

const PAGE_SIZE = 100;

/**
 * Takes away all limits that an entity itself has, and how it was to be treated, with their links; each leaves an event.
 * What is left of the levels are tombstones. Costs a read for each hundred, and a transaction for each twenty. Gives how
 * many it took away.
 */
export async function deleteLevels(parts: Administration, entity: string, actor: string | undefined): Promise<number> {
  let deleted = 0;
  await inTurns('delete the limits of an entity', async () => {
    let isAgain = false;
    for await (const items of levelsOf(parts, entity)) {
      const hasControl = items.some((item) => configOfItem(item)?.control !== undefined);
      if (hasControl && (await writeControl(parts, entity, { mode: 'enforce' }, actor))) {
        deleted += 1;
        // The control is on the item of a level, so that is not as it was read any more.
        isAgain = true;
        continue;
      }
      for (const { writes, levels } of transactions(parts, items, entity, actor)) {
        const outcome = await parts.items.transact(writes).finally(() => parts.onChange(levels));
        if (outcome === 'done') deleted += levels.length;
        else isAgain = true;
      }
    }
    return isAgain ? undefined : true;
  });
  return deleted;
}

/** The items of an entity's levels, those of former ones included. */
async function* levelsOf({ items, namespaceId }: Administration, entity: string): AsyncGenerator<readonly Item[]> {
  const { partition, sort: prefix } = configKey(namespaceId, { level: 'entity-default', entity });
  let after: string | undefined;
  do {
    const page = await items.query({ partition, prefix, pageSize: PAGE_SIZE, ...(after === undefined ? {} : { after }) });
    yield page.items;
    after = page.next;
  } while (after !== undefined);
}

function levelOf(item: Item, entity: string): ConfigLevel {
  const { sort } = keyOf(item);
  if (!sort.startsWith(ENTITY_LIMITS_PREFIX)) return { level: 'entity-default', entity };
  return { level: 'entity', entity, resource: unescapeName(sort.slice(ENTITY_LIMITS_PREFIX.length)) };
}

/** The writes that take levels away, as many levels together as one transaction holds. */
function* transactions(parts: Administration, items: readonly Item[], entity: string, actor: string | undefined) {
  const { namespaceId, newEventId } = parts;
  let [writes, levels]: [ItemWrite[], ConfigLevel[]] = [[], []];
  for (const item of items) {
    const level = levelOf(item, entity);
    const context = { namespaceId, newEventId, nowMs: parts.nowMs(), actor, manifest: undefined };
    const own = changeWrites({ level, limits: null }, item, context);
    if (own.length === 0) continue;
    if (writes.length + own.length > MAX_TRANSACTION_WRITES) {
      yield { writes, levels };
      [writes, levels] = [[], []];
    }
    writes.push(...own);
    levels.push(level);
  }
  if (writes.length > 0) yield { writes, levels };
}

/** A page of an entity's buckets. */
export interface BucketPage {
  /** The first item of each bucket. */
  readonly firsts: readonly Item[];
  /** All other items of those that are spread over several, or were. */
  readonly others: readonly Item[];
  /** Hand it in as `after` to go on; absent on the last page. */
  readonly next?: string;
}

/**
 * Reads an entity's buckets, a hundred at a time: one read, and for each bucket that was ever spread 31 keys more, a hundred
 * of them in a request. The first item of a bucket outlives all others, and says whether it was ever spread. How many others
 * are there nobody knows: they expire each for itself, those that a merge has left behind, too (see ADR 0019). So all that
 * there could be are asked for.
 */
export async function readBuckets(
  { items, namespaceId }: Pick<Administration, 'items' | 'namespaceId'>,
  entity: string,
  after?: string,
): Promise<BucketPage> {
  const { partition } = bucketKey({ namespaceId, entity, resource: '', shard: 0 });
  const { items: firsts, next } = await items.query({ partition, pageSize: PAGE_SIZE, ...(after === undefined ? {} : { after }) });
  const keys = firsts.filter(wasSpread).flatMap((first) => {
    const resource = unescapeName(keyOf(first).sort);
    return Array.from({ length: MAX_SHARDS - 1 }, (_, index) => bucketKey({ namespaceId, entity, resource, shard: index + 1 }));
  });
  const others = keys.length === 0 ? [] : (await items.get(keys)).filter((item) => item !== undefined);
  return { firsts, others, ...(next === undefined ? {} : { next }) };
}

/** Deletion must not depend on the rest of the item: it may be of a release that this one cannot read. */
function wasSpread(first: Item): boolean {
  return Number(first[ATTRIBUTE.layout] ?? FIRST_LAYOUT) > FIRST_LAYOUT;
}

/**
 * Deletes an entity's buckets, of which the first page was read. The first item of a bucket goes last: as long as any other
 * is left, it is there to be found by.
 */
export async function deleteBuckets(parts: Administration, entity: string, first: BucketPage): Promise<void> {
  let page = first;
  for (;;) {
    await parts.items.deleteAll(page.others.map(keyOf));
    await parts.items.deleteAll(page.firsts.map(keyOf));
    if (page.next === undefined) return;
    page = await readBuckets(parts, entity, page.next);
  }
}
