import { randomUUID } from 'node:crypto';
import type { ItemKey } from '@millrace/core';
import type { Item, ItemTable, ItemWrite } from '@millrace/limiter/admin';

/** A partition of a test's own in a table that others write to. */
export class ScratchItems {
  readonly partition = `scratch-${randomUUID()}`;
  readonly table: ItemTable;

  constructor(table: ItemTable) {
    this.table = table;
  }

  key(sort: string): ItemKey {
    return { partition: this.partition, sort };
  }

  item(sort: string, attributes: Item = {}): Item {
    return { PK: this.partition, SK: sort, ...attributes };
  }

  put(sort: string, attributes: Item = {}): ItemWrite {
    return { kind: 'put', item: this.item(sort, attributes) };
  }

  /** Stores items without anything but their keys. */
  async fill(sorts: readonly string[]): Promise<void> {
    for (let start = 0; start < sorts.length; start += 100) {
      await this.table.transact(sorts.slice(start, start + 100).map((sort) => this.put(sort)));
    }
  }

  /** The item at a sort key. */
  async at(sort: string): Promise<Item | undefined> {
    const [item] = await this.table.get([this.key(sort)]);
    return item;
  }

  /** All sort keys of the partition, in order. */
  async sorts(): Promise<readonly unknown[]> {
    const { items } = await this.table.query({ partition: this.partition, pageSize: 1_000 });
    return items.map((item) => item['SK']);
  }
}
