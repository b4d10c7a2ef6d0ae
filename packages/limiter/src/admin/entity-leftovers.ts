import { bucketKey, type ConfigLevel, configKey, ENTITY_LIMITS_PREFIX, unescapeName } from '@millrace/core';
import { type Administration, inTurns } from './administration.js';
import { writeControl } from './entity-control.js';
import { type Item, type ItemPage, type ItemWrite, keyOf, MAX_TRANSACTION_WRITES } from './item-table.js';
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

/** The first page of each shard's buckets. */
interface ShardPage extends ItemPage {
  readonly partition: string;
}

/** Finds an entity's buckets: a read for each shard that has any, and one more. */
export async function findBuckets({ items, namespaceId }: Administration, entity: string): Promise<readonly ShardPage[]> {
  const shards: ShardPage[] = [];
  for (;;) {
    const { partition } = bucketKey({ namespaceId, entity, resource: '', shard: shards.length });
    const page = await items.query({ partition, pageSize: PAGE_SIZE });
    if (page.items.length === 0) return shards;
    shards.push({ ...page, partition });
  }
}

/**
 * Deletes the buckets that were found, the last shard first: the search ends at the first shard that has none, so as
 * long as any is left, there is one in front of it to be found.
 */
export async function deleteBuckets({ items }: Administration, shards: readonly ShardPage[]): Promise<void> {
  for (const { partition, ...first } of [...shards].reverse()) {
    let page: ItemPage = first;
    for (;;) {
      await items.deleteAll(page.items.map(keyOf));
      if (page.next === undefined) break;
      page = await items.query({ partition, pageSize: PAGE_SIZE, after: page.next });
    }
  }
}
