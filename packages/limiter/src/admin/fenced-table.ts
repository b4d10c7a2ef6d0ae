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
 * Every transaction is bound to the item that closes the namespace, in the transaction itself: so a write is either before
 * the deletion, and found by the purge, or refused. That costs two write units (for each KB of the system's level), and
 * transactions of one namespace meet at that item: DynamoDB refuses one of two at the same moment, which is sent again.
 * One read more where a transaction is refused, to tell why. Deletes have no conditions: the item is read right before.
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
    const outcome = await this.#table.transact(this.#fenced(writes));
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

  /** A transaction names an item once: one that writes to the item itself has the condition there. */
  #fenced(writes: readonly ItemWrite[]): readonly ItemWrite[] {
    if (!writes.some((write) => this.#isClosing(write))) return [...writes, { kind: 'check', key: this.#closing, when: [OPEN] }];
    return writes.map((write) => (this.#isClosing(write) ? { ...write, when: [...(write.when ?? []), OPEN] } : write));
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
