import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  type BatchGetItemCommandOutput,
  type ConditionalCheckFailedException,
  GetItemCommand,
  type GetItemCommandOutput,
  QueryCommand,
  type QueryCommandOutput,
  type TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import {
  type BatchGetWire,
  type BucketRef,
  type BucketState,
  type BucketStore,
  type BucketWrite,
  bucketFromItem,
  bucketReadRequest,
  bucketWriteRequest,
  type ChildPage,
  type ConfigEntry,
  type ConfigRef,
  type ConfigStore,
  childOfItem,
  childrenRequest,
  configFromItems,
  configReadRequest,
  type EntityChange,
  type EntityRecord,
  type EntityStore,
  entityCreateRequest,
  entityDeleteRequest,
  entityFromItem,
  entityReadRequest,
  type GetItemWire,
  type NamespaceRecord,
  namespaceFromItem,
  namespaceReadRequest,
  StoreFailure,
  type TransactWriteWire,
  type WireItem,
  type WriteOutcome,
} from '@millrace/core';
import type { Sender } from './sender.js';

/** How often the rest of a batch is asked for again. */
const MAX_BATCH_TURNS = 4;

/** Buckets, entities and namespaces in a DynamoDB table. It sends what core has built, and maps the replies; nothing more. */
export class DynamoStore implements BucketStore, ConfigStore, EntityStore {
  readonly #sender: Sender;
  readonly #table: string;

  constructor(sender: Sender, table: string) {
    this.#sender = sender;
    this.#table = table;
  }

  async write(write: BucketWrite): Promise<WriteOutcome> {
    const command = new UpdateItemCommand(bucketWriteRequest(this.#table, write));
    try {
      const output = await this.#sender.send<UpdateItemCommandOutput>('UpdateItem', command, 'ConditionalCheckFailedException');
      return { kind: 'written', state: bucketFromItem((output.Attributes ?? {}) as WireItem) };
    } catch (error) {
      if (error instanceof StoreFailure || (error as Error).name !== 'ConditionalCheckFailedException') throw error;
      const { Item: item } = error as ConditionalCheckFailedException;
      return { kind: 'refused', state: item === undefined ? undefined : bucketFromItem(item as WireItem) };
    }
  }

  async read(ref: BucketRef): Promise<BucketState | undefined> {
    const item = await this.#get(bucketReadRequest(this.#table, ref));
    return item === undefined ? undefined : bucketFromItem(item);
  }

  async readConfig(namespaceId: string, refs: readonly ConfigRef[], consistency: 'fresh' | 'eventual'): Promise<readonly ConfigEntry[]> {
    const items: WireItem[] = [];
    let request: BatchGetWire = configReadRequest(this.#table, namespaceId, refs, consistency === 'fresh');
    for (let turns = 0; turns < MAX_BATCH_TURNS; turns += 1) {
      const output = await this.#sender.send<BatchGetItemCommandOutput>('BatchGetItem', new BatchGetItemCommand(request));
      items.push(...((output.Responses?.[this.#table] ?? []) as WireItem[]));
      const left = output.UnprocessedKeys?.[this.#table];
      if ((left?.Keys?.length ?? 0) === 0) return configFromItems(namespaceId, refs, items);
      request = { ...request, RequestItems: { [this.#table]: left as BatchGetWire['RequestItems'][string] } };
    }
    // An item that was not read must never pass for one that is not there: its limits would not hold.
    throw new StoreFailure('throttled', 'no', `table "${this.#table}" left keys of a batch unread ${MAX_BATCH_TURNS} times`);
  }

  async findEntity(namespaceId: string, id: string, consistency: 'fresh' | 'eventual'): Promise<EntityRecord | undefined> {
    const item = await this.#get(entityReadRequest(this.#table, namespaceId, id, consistency === 'fresh'));
    return item === undefined ? undefined : entityFromItem(item);
  }

  createEntity(namespaceId: string, entity: EntityRecord, previous: EntityRecord | undefined): Promise<EntityChange> {
    return this.#transact(entityCreateRequest(this.#table, namespaceId, entity, previous, randomUUID()));
  }

  deleteEntity(namespaceId: string, current: EntityRecord, version: number, ttlSec: number): Promise<EntityChange> {
    return this.#transact(entityDeleteRequest(this.#table, namespaceId, current, version, ttlSec, randomUUID()));
  }

  async listChildren(namespaceId: string, parent: string, pageSize: number, after: string | undefined): Promise<ChildPage> {
    // One more than a page: DynamoDB names a place to go on from whenever a page is full, even if nothing follows.
    const command = new QueryCommand(childrenRequest(this.#table, namespaceId, parent, pageSize + 1, after));
    const output = await this.#sender.send<QueryCommandOutput>('Query', command);
    const found = (output.Items ?? []).map((item) => childOfItem(item as WireItem));
    const ids = found.slice(0, pageSize);
    const last = ids.at(-1);
    return (found.length > pageSize || output.LastEvaluatedKey !== undefined) && last !== undefined ? { ids, next: last } : { ids };
  }

  /** A namespace's entry in the registry. */
  async findNamespace(name: string): Promise<NamespaceRecord | undefined> {
    const item = await this.#get(namespaceReadRequest(this.#table, name));
    return item === undefined ? undefined : namespaceFromItem(item);
  }

  async #get(request: GetItemWire): Promise<WireItem | undefined> {
    const output = await this.#sender.send<GetItemCommandOutput>('GetItem', new GetItemCommand(request));
    return output.Item as WireItem | undefined;
  }

  async #transact(request: TransactWriteWire): Promise<EntityChange> {
    try {
      await this.#sender.send('TransactWriteItems', new TransactWriteItemsCommand(request), 'TransactionCanceledException');
      return 'done';
    } catch (error) {
      if (error instanceof StoreFailure || (error as Error).name !== 'TransactionCanceledException') throw error;
      const reasons = (error as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code) ?? [];
      if (reasons.includes('ConditionalCheckFailed')) return 'conflict';
      throw new StoreFailure('throttled', 'no', `the transaction was cancelled (${reasons.join(', ')})`, { cause: error });
    }
  }
}
