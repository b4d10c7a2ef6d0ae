import { randomUUID } from 'node:crypto';
import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  type BatchWriteCommandOutput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandOutput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { ATTRIBUTE, type ItemKey, StoreFailure, WINDOW_INDEX } from '@millrace/core';
import { type Item, type ItemPage, type ItemQuery, type ItemTable, type ItemWrite, type KeyPage, keyOf } from '../admin/item-table.js';
import { type RetryParts, withRetries } from '../engine/index.js';
import { translated } from './document-command.js';
import { checkChanges, checkItem } from './item-checks.js';
import { ItemExpression } from './item-expression.js';
import { type SortRange, sortRange } from './item-range.js';
import type { Sender } from './sender.js';

const { partitionKey: PK, sortKey: SK } = ATTRIBUTE;
const GETS_PER_REQUEST = 100;
const DELETES_PER_REQUEST = 25;

type Key = Record<typeof PK | typeof SK, string>;

/**
 * A DynamoDB table as administration sees it. Every request may be sent again if its reply is lost: reads and deletes by
 * their nature, transactions because a token makes DynamoDB answer the second one without writing, for ten minutes.
 */
export class DocumentTable implements ItemTable {
  readonly #sender: Sender;
  readonly #table: string;
  readonly #retry: RetryParts;
  readonly #deadlineMs: number;

  /** `deadlineMs` is how long one request may be sent again and again; an operation of many requests takes longer. */
  constructor(sender: Sender, table: string, retry: RetryParts, deadlineMs: number) {
    this.#sender = sender;
    this.#table = table;
    this.#retry = retry;
    this.#deadlineMs = deadlineMs;
  }

  async get(keys: readonly ItemKey[]): Promise<readonly (Item | undefined)[]> {
    const found = new Map<string, Item>();
    for (const chunk of chunks(distinct(keys), GETS_PER_REQUEST)) {
      await this.#untilNoneIsLeft(chunk, async (left) => {
        const output = await this.#send<BatchGetCommandOutput>(
          'BatchGetItem',
          new BatchGetCommand({
            RequestItems: { [this.#table]: { Keys: [...left], ConsistentRead: true } },
            ReturnConsumedCapacity: 'TOTAL',
          }),
        );
        for (const item of output.Responses?.[this.#table] ?? []) found.set(idOf(item as Key), item);
        return (output.UnprocessedKeys?.[this.#table]?.Keys ?? []) as Key[];
      });
    }
    return keys.map((key) => found.get(idOf(keyAttributes(key))));
  }

  async query(query: ItemQuery): Promise<ItemPage> {
    const range = sortRange(query);
    if (range === undefined) return { items: [] };
    const { Items = [], LastEvaluatedKey: more } = await this.#retried(() =>
      this.#send<QueryCommandOutput>('Query', new QueryCommand(this.#queryInput(query, range))),
    );
    // The range of a prefix ends at a text of its own, which does not begin with the prefix.
    const found = (Items as Item[]).filter((item) => String(item[SK]).startsWith(query.prefix ?? ''));
    const items = found.slice(0, query.pageSize);
    const last = items.at(-1);
    return (found.length > query.pageSize || more !== undefined) && last !== undefined ? { items, next: String(last[SK]) } : { items };
  }

  async transact(writes: readonly ItemWrite[]): Promise<'done' | 'conflict'> {
    const input: TransactWriteCommandInput = {
      TransactItems: writes.map((write) => this.#transactItem(write)),
      ClientRequestToken: randomUUID(),
      ReturnConsumedCapacity: 'TOTAL',
    };
    return this.#retried(async () => {
      try {
        await this.#send('TransactWriteItems', new TransactWriteCommand(input), 'TransactionCanceledException');
        return 'done';
      } catch (error) {
        if (error instanceof StoreFailure) throw error;
        return conflictOrFailure(error as TransactionCanceledException);
      }
    });
  }

  async deleteAll(keys: readonly ItemKey[]): Promise<void> {
    for (const chunk of chunks(distinct(keys), DELETES_PER_REQUEST)) {
      await this.#untilNoneIsLeft(chunk, async (left) => {
        const output = await this.#send<BatchWriteCommandOutput>(
          'BatchWriteItem',
          new BatchWriteCommand({
            RequestItems: { [this.#table]: left.map((key) => ({ DeleteRequest: { Key: key } })) },
            ReturnConsumedCapacity: 'TOTAL',
          }),
        );
        return (output.UnprocessedItems?.[this.#table] ?? []).map(({ DeleteRequest: request }) => request?.Key as Key);
      });
    }
  }

  async scan(prefix: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage> {
    const expression = new ItemExpression();
    const projection = [PK, SK].map((attribute) => expression.name(attribute)).join(', ');
    const filter = prefix === '' ? {} : { FilterExpression: `begins_with(${expression.name(PK)}, ${expression.value(prefix)})` };
    const { Items = [], LastEvaluatedKey: more } = await this.#retried(() =>
      this.#send<ScanCommandOutput>(
        'Scan',
        new ScanCommand({
          TableName: this.#table,
          ProjectionExpression: projection,
          ...filter,
          ...expression.parts(),
          ...(after === undefined ? {} : { ExclusiveStartKey: keyAttributes(after) }),
          Limit: pageSize,
          ConsistentRead: true,
          ReturnConsumedCapacity: 'TOTAL',
        }),
      ),
    );
    const keys = Items.map(keyOf);
    return more === undefined ? { keys } : { keys, next: keyOf(more) };
  }

  async indexed(name: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage> {
    const expression = new ItemExpression();
    const condition = `${expression.name(ATTRIBUTE.windowName)} = ${expression.value(name)}`;
    const { Items = [], LastEvaluatedKey: more } = await this.#retried(() =>
      this.#send<QueryCommandOutput>(
        'Query',
        new QueryCommand({
          TableName: this.#table,
          IndexName: WINDOW_INDEX,
          KeyConditionExpression: condition,
          ...expression.parts(),
          ...(after === undefined ? {} : { ExclusiveStartKey: { ...keyAttributes(after), [ATTRIBUTE.windowName]: name } }),
          Limit: pageSize,
          ReturnConsumedCapacity: 'TOTAL',
        }),
      ),
    );
    const keys = Items.map(keyOf);
    return more === undefined ? { keys } : { keys, next: keyOf(more) };
  }

  #queryInput(query: ItemQuery, { low, high, after }: SortRange): QueryCommandInput {
    const expression = new ItemExpression();
    const sort = (comparison: (name: string) => string): string => ` AND ${comparison(expression.name(SK))}`;
    const condition = [
      `${expression.name(PK)} = ${expression.value(query.partition)}`,
      low !== undefined && high !== undefined
        ? sort((name) => `${name} BETWEEN ${expression.value(low)} AND ${expression.value(high)}`)
        : low !== undefined
          ? sort((name) => `${name} >= ${expression.value(low)}`)
          : high !== undefined
            ? sort((name) => `${name} <= ${expression.value(high)}`)
            : '',
    ].join('');
    return {
      TableName: this.#table,
      KeyConditionExpression: condition,
      ...expression.parts(),
      ...(after === undefined ? {} : { ExclusiveStartKey: { [PK]: query.partition, [SK]: after } }),
      ScanIndexForward: query.newestFirst !== true,
      // One more than a page: DynamoDB names a place to go on from whenever a page is full, even if nothing follows.
      Limit: query.pageSize + 1,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    };
  }

  #transactItem(write: ItemWrite): NonNullable<TransactWriteCommandInput['TransactItems']>[number] {
    const expression = new ItemExpression();
    const TableName = this.#table;
    switch (write.kind) {
      case 'put':
        checkItem(write.item);
        return { Put: { TableName, Item: write.item, ...conditional(expression, write.when) } };
      case 'delete':
        return { Delete: { TableName, Key: keyAttributes(write.key), ...conditional(expression, write.when) } };
      case 'check': {
        const ConditionExpression = expression.condition(write.when);
        return { ConditionCheck: { TableName, Key: keyAttributes(write.key), ConditionExpression, ...expression.parts() } };
      }
      case 'update': {
        checkChanges(write);
        const UpdateExpression = expression.update(write);
        return { Update: { TableName, Key: keyAttributes(write.key), UpdateExpression, ...conditional(expression, write.when) } };
      }
    }
  }

  /** Sends what is left again, as long as each request gets on; one that does not was throttled, and waits. */
  async #untilNoneIsLeft(keys: readonly Key[], send: (left: readonly Key[]) => Promise<readonly Key[]>): Promise<void> {
    let left = keys;
    while (left.length > 0) {
      await this.#retried(async () => {
        const unprocessed = await send(left);
        if (unprocessed.length === left.length)
          throw new StoreFailure('throttled', 'no', `table "${this.#table}" is throttled: none of ${left.length} items was processed`);
        left = unprocessed;
      });
    }
  }

  #retried<T>(request: () => Promise<T>): Promise<T> {
    return withRetries(this.#retry, this.#retry.clock.nowMs() + this.#deadlineMs, 'unknown', request);
  }

  #send<Output extends object>(operation: string, command: object, expected?: string): Promise<Output> {
    return this.#sender.send(operation, translated(command) as never, expected) as Promise<Output>;
  }
}

function conditional(expression: ItemExpression, when: ItemWrite['when'] = []): object {
  if (when.length === 0) return expression.parts();
  const ConditionExpression = expression.condition(when);
  return { ConditionExpression, ...expression.parts() };
}

/** A refused condition is an answer. What may pass by itself is a throttle; the rest are requests that can never work. */
function conflictOrFailure(error: TransactionCanceledException): 'conflict' {
  const codes = (error.CancellationReasons ?? []).flatMap(({ Code: code }) => (code === undefined || code === 'None' ? [] : [code]));
  if (codes.includes('ConditionalCheckFailed')) return 'conflict';
  const passing = codes.every((code) => PASSING.has(code));
  throw new StoreFailure(passing ? 'throttled' : 'refused', 'no', `the transaction was cancelled (${codes.join(', ')}): ${error.message}`, {
    cause: error,
  });
}

const PASSING: ReadonlySet<string> = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

function keyAttributes({ partition, sort }: ItemKey): Key {
  return { [PK]: partition, [SK]: sort };
}

function idOf(key: Key): string {
  return JSON.stringify([key[PK], key[SK]]);
}

/** DynamoDB refuses a batch that names an item twice. */
function distinct(keys: readonly ItemKey[]): readonly Key[] {
  return [...new Map(keys.map(keyAttributes).map((key) => [idOf(key), key])).values()];
}

function chunks<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => values.slice(index * size, (index + 1) * size));
}
