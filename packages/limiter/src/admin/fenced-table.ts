import { ATTRIBUTE, configKey, type ItemKey } from '@millrace/core';
import { namespaceClosed } from '../engine/index.js';
import {
  type Clause,
  type Item,
  type ItemPage,
  type ItemQuery,
  type ItemTable,
  type ItemWrite,
  type KeyPage,
  keyOf,
} from './item-table.js';

const OPEN: Clause = { attribute: ATTRIBUTE.closed, is: 'absent' };

/**
 * A table as one namespace administers itself: it is written to only as long as the namespace is open. A limiter may have it
 * open for long after it was deleted, and what is written under the id of a purged one nobody would ever find.
 *
 * The item that closes the namespace is read right before each write, at one read unit; a transaction that writes to that
 * item has the condition in itself. A check within every transaction would leave no moment between, but all of a
 * namespace's transactions would meet at that item, and DynamoDB refuses one of two at the same moment.
 */
export class FencedTable implements ItemTable {
  readonly #table: ItemTable;
  readonly #namespaceId: string;
  readonly #closing: ItemKey;

  constructor(table: ItemTable, namespaceId: string) {
    this.#table = table;
    this.#namespaceId = namespaceId;
    this.#closing = configKey(namespaceId, { level: 'system' });
  }

  get(keys: readonly ItemKey[]): Promise<readonly (Item | undefined)[]> {
    return this.#table.get(keys);
  }

  query(query: ItemQuery): Promise<ItemPage> {
    return this.#table.query(query);
  }

  /** @throws MillraceError `NAMESPACE_STATE` if the namespace was deleted; nothing was written */
  async transact(writes: readonly ItemWrite[]): Promise<'done' | 'conflict'> {
    if (!writes.some((write) => this.#isClosing(write))) {
      await this.#checkOpen();
      return this.#table.transact(writes);
    }
    // A transaction names an item once, so the condition goes to the write.
    const fenced = writes.map((write) => (this.#isClosing(write) ? { ...write, when: [...(write.when ?? []), OPEN] } : write));
    const outcome = await this.#table.transact(fenced);
    if (outcome === 'conflict') await this.#checkOpen();
    return outcome;
  }

  /** @throws MillraceError `NAMESPACE_STATE` if the namespace was deleted; nothing was deleted */
  async deleteAll(keys: readonly ItemKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#checkOpen();
    await this.#table.deleteAll(keys);
  }

  scan(prefix: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage> {
    return this.#table.scan(prefix, after, pageSize);
  }

  indexed(name: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage> {
    return this.#table.indexed(name, after, pageSize);
  }

  #isClosing(write: ItemWrite): boolean {
    const { partition, sort } = write.kind === 'put' ? keyOf(write.item) : write.key;
    return partition === this.#closing.partition && sort === this.#closing.sort;
  }

  async #checkOpen(): Promise<void> {
    const [closing] = await this.#table.get([this.#closing]);
    if (closing?.[ATTRIBUTE.closed] === true) throw namespaceClosed(this.#namespaceId);
  }
}
