import { ATTRIBUTE, type ItemKey } from '@millrace/core';
import type { Item, ItemPage, ItemQuery, ItemTable, ItemWrite, KeyPage } from '@millrace/limiter/admin';
import { checkTransaction, keyOfItem, keyOfWrite } from './memory-table-checks.js';
import { compareBytes, holds, written } from './memory-table-writes.js';
import { ScanOrder } from './scan-order.js';

/**
 * The reference of a table: obvious, and atomic because no step of it waits. It orders, pages and refuses as DynamoDB
 * does; what it takes in and gives out are copies, so that nobody changes an item without a write.
 */
export class MemoryTable implements ItemTable {
  readonly #partitions = new Map<string, Map<string, Item>>();
  readonly #scanOrder = new ScanOrder();

  async get(keys: readonly ItemKey[]): Promise<readonly (Item | undefined)[]> {
    return keys.map((key) => structuredClone(this.#at(key)));
  }

  async query(query: ItemQuery): Promise<ItemPage> {
    const { partition, prefix = '', from, to, after, newestFirst = false, pageSize } = query;
    const direction = newestFirst ? -1 : 1;
    const sorts = [...(this.#partitions.get(partition)?.keys() ?? [])]
      .filter((sort) => sort.startsWith(prefix))
      .filter((sort) => from === undefined || compareBytes(sort, from) >= 0)
      .filter((sort) => to === undefined || compareBytes(sort, to) <= 0)
      .filter((sort) => after === undefined || compareBytes(sort, after) * direction > 0)
      .sort((a, b) => compareBytes(a, b) * direction);
    const page = sorts.slice(0, pageSize);
    const items = page.map((sort): Item => structuredClone(this.#at({ partition, sort }) ?? {}));
    const last = page.at(-1);
    return sorts.length > pageSize && last !== undefined ? { items, next: last } : { items };
  }

  async transact(writes: readonly ItemWrite[]): Promise<'done' | 'conflict'> {
    checkTransaction(writes);
    const current = (write: ItemWrite): Item | undefined => this.#at(keyOfWrite(write));
    if (!writes.every((write) => holds(write.when ?? [], current(write)))) return 'conflict';
    // All are made before any is stored: one that cannot be made must leave nothing behind.
    const changes = writes.map((write) => [keyOfWrite(write), written(write, current(write))] as const);
    for (const [key, item] of changes) {
      if (item === undefined) this.#delete(key);
      else this.put(item);
    }
    return 'done';
  }

  async deleteAll(keys: readonly ItemKey[]): Promise<void> {
    for (const key of keys) this.#delete(key);
  }

  async scan(prefix: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage> {
    // A page is what was looked at, as in DynamoDB: of it, only what has the prefix is told.
    const looked: ItemKey[] = [];
    for (const partition of this.#scanOrder.from(this.#partitions, after?.partition)) {
      const sorts = [...(this.#partitions.get(partition)?.keys() ?? [])].sort(compareBytes);
      const left = partition === after?.partition ? sorts.filter((sort) => compareBytes(sort, after.sort) > 0) : sorts;
      looked.push(...left.map((sort) => ({ partition, sort })));
      if (looked.length > pageSize) break;
    }
    const page = looked.slice(0, pageSize);
    const [keys, last] = [page.filter(({ partition }) => partition.startsWith(prefix)), page.at(-1)];
    return looked.length > pageSize && last !== undefined ? { keys, next: last } : { keys };
  }

  async indexed(name: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage> {
    const order = (a: ItemKey, b: ItemKey): number => compareBytes(a.partition, b.partition) || compareBytes(a.sort, b.sort);
    const keys = [...this.#partitions.values()]
      .flatMap((items) => [...items.values()].filter((item) => item[ATTRIBUTE.windowName] === name).map(keyOfItem))
      .filter((key) => after === undefined || order(key, after) > 0)
      .sort(order);
    const [page, last] = [keys.slice(0, pageSize), keys[pageSize - 1]];
    return keys.length > pageSize && last !== undefined ? { keys: page, next: last } : { keys: page };
  }

  /** All items, in no order that means anything. */
  items(): Item[] {
    return [...this.#partitions.values()].flatMap((items) => [...items.values()].map((item) => structuredClone(item)));
  }

  /** Stores an item as it is, with its key in it: for what a test wants to find in the table. */
  put(item: Item): void {
    const { partition, sort } = keyOfItem(item);
    const items = this.#partitions.get(partition) ?? new Map<string, Item>();
    this.#partitions.set(partition, items.set(sort, structuredClone(narrowed(item))));
  }

  #at({ partition, sort }: ItemKey): Item | undefined {
    return this.#partitions.get(partition)?.get(sort);
  }

  #delete({ partition, sort }: ItemKey): void {
    const items = this.#partitions.get(partition);
    items?.delete(sort);
    if (items?.size === 0) this.#partitions.delete(partition);
  }
}

/** A whole number that fits is read as a number, whatever kind it was written as. */
function narrowed(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
    ]),
  );
}
