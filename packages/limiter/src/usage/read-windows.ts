import { parseUsageKey, unescapeName, usagePartition, usageSort, WINDOW_TYPES, type WindowType } from '@millrace/core';
import { type UsageWindowItem, windowFromItem } from '@millrace/ledger';
import { type Item, type ItemTable, keyOf } from '../admin/item-table.js';
import { wireItem } from '../admin/level-item.js';
import type { UsageParts } from './usage-parts.js';

type ReadParts = Pick<UsageParts, 'namespaceId' | 'source'> & { readonly items: Pick<ItemTable, 'query'> };

/** Which windows to read: of one entity, resource and type, those that begin in a half-open range. */
export interface WindowRange {
  readonly entity: string;
  readonly resource: string;
  readonly type: WindowType;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The windows of all shards and eras that begin at one moment. */
export interface WindowGroup {
  readonly startMs: number;
  readonly windows: readonly UsageWindowItem[];
}

/** Sorts behind every text that follows a resource's name in a key, which begins with a digit. */
const LAST = '~';

/** The window that an item holds. Core's and the ledger's own readers decide. */
export function windowOfItem(item: Item): UsageWindowItem {
  return windowFromItem(wireItem(item));
}

/** The windows of a range in order, those that begin together as one. One read for each page, when it is needed. */
export async function* readGroups(parts: ReadParts, range: WindowRange, pageSize: number): AsyncGenerator<WindowGroup> {
  let group: UsageWindowItem[] = [];
  for await (const window of readWindows(parts, range, pageSize)) {
    const startMs = group[0]?.ref.startMs;
    if (startMs !== undefined && startMs !== window.ref.startMs) {
      yield { startMs, windows: group };
      group = [];
    }
    group.push(window);
  }
  const startMs = group[0]?.ref.startMs;
  if (startMs !== undefined) yield { startMs, windows: group };
}

/** The windows of a range, one by one. */
export async function* readWindows(parts: ReadParts, range: WindowRange, pageSize: number): AsyncGenerator<UsageWindowItem> {
  const { entity, resource, type, fromMs, toMs } = range;
  if (fromMs >= toMs) return;
  // What begins at a moment sorts behind the text of the moment alone, so the end is not in the range.
  const query = {
    partition: usagePartition(parts.namespaceId, entity, parts.source),
    from: usageSort(type, resource, fromMs),
    to: usageSort(type, resource, toMs),
    pageSize,
  };
  let after: string | undefined;
  do {
    const page = await parts.items.query({ ...query, ...(after === undefined ? {} : { after }) });
    yield* page.items.map(windowOfItem);
    after = page.next;
  } while (after !== undefined);
}

/** The resources that an entity has windows of a type for, from one on, in the order of their keys. One read for each, and one more. */
export async function* resourcesFrom(parts: ReadParts, entity: string, type: WindowType, from?: string): AsyncGenerator<string> {
  const partition = usagePartition(parts.namespaceId, entity, parts.source);
  let place = from === undefined ? {} : { from: usageSort(type, from) };
  for (;;) {
    const { items } = await parts.items.query({ partition, prefix: `${type}/`, pageSize: 1, ...place });
    const [item] = items;
    if (item === undefined) return;
    const { sort } = keyOf(item);
    const resource = parseUsageKey(partition, sort)?.bucket.resource ?? unescapeName(sort.split('/')[1] ?? '');
    yield resource;
    place = { from: usageSort(type, resource) + LAST };
  }
}

/** All resources that an entity has windows of any type for. */
export async function allResources(parts: ReadParts, entity: string): Promise<readonly string[]> {
  const resources = new Set<string>();
  for (const type of WINDOW_TYPES) {
    for await (const resource of resourcesFrom(parts, entity, type)) resources.add(resource);
  }
  return [...resources].sort();
}
