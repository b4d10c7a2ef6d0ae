import {
  type BatchGetWire,
  type BucketRef,
  type BucketState,
  type BucketStore,
  type BucketWrite,
  bucketFromItem,
  bucketReadRequest,
  bucketWriteRequest,
  bucketWriteText,
  type ConfigEntry,
  type ConfigRef,
  type ConfigStore,
  configFromItems,
  configReadRequest,
  type GetItemWire,
  type NamespaceRecord,
  namespaceFromItem,
  namespaceReadRequest,
  StoreFailure,
  type WireItem,
  type WriteOutcome,
} from '@millrace/core';
import type { WireTransport } from './wire-transport.js';

/** How often the rest of a batch is asked for again. */
const MAX_BATCH_TURNS = 4;

/** Buckets, entities and namespaces in a DynamoDB table. It sends what core has built, and maps the replies; nothing more. */
export class DynamoStore implements BucketStore, ConfigStore {
  readonly #transport: WireTransport;
  readonly #table: string;

  constructor(transport: WireTransport, table: string) {
    this.#transport = transport;
    this.#table = table;
  }

  async write(write: BucketWrite): Promise<WriteOutcome> {
    const transport = this.#transport;
    const reply =
      transport.sendText === undefined
        ? await transport.send('UpdateItem', bucketWriteRequest(this.#table, write))
        : await transport.sendText(bucketWriteText(this.#table, write));
    if (!reply.isRefused) return { kind: 'written', state: bucketFromItem(reply.Attributes ?? {}) };
    return { kind: 'refused', state: reply.Item === undefined ? undefined : bucketFromItem(reply.Item) };
  }

  async read(ref: BucketRef): Promise<BucketState | undefined> {
    const item = await this.#get(bucketReadRequest(this.#table, ref));
    return item === undefined ? undefined : bucketFromItem(item);
  }

  async readConfig(namespaceId: string, refs: readonly ConfigRef[], consistency: 'fresh' | 'eventual'): Promise<readonly ConfigEntry[]> {
    const items: WireItem[] = [];
    let request: BatchGetWire = configReadRequest(this.#table, namespaceId, refs, consistency === 'fresh');
    for (let turns = 0; turns < MAX_BATCH_TURNS; turns += 1) {
      const output = await this.#transport.send('BatchGetItem', request);
      items.push(...(output.Responses?.[this.#table] ?? []));
      const left = output.UnprocessedKeys?.[this.#table];
      if (left === undefined || left.Keys.length === 0) return configFromItems(namespaceId, refs, items);
      request = { ...request, RequestItems: { [this.#table]: left } };
    }
    // An item that was not read must never pass for one that is not there: its limits would not hold.
    throw new StoreFailure('throttled', 'no', `table "${this.#table}" left keys of a batch unread ${MAX_BATCH_TURNS} times`);
  }

  /** A namespace's entry in the registry. */
  async findNamespace(name: string): Promise<NamespaceRecord | undefined> {
    const item = await this.#get(namespaceReadRequest(this.#table, name));
    return item === undefined ? undefined : namespaceFromItem(item);
  }

  async #get(request: GetItemWire): Promise<WireItem | undefined> {
    return (await this.#transport.send('GetItem', request)).Item;
  }
}
