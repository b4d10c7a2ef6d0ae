import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StoreFailure } from '@millrace/core';
import { FakeRuntime } from '@millrace/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../src/dynamo/client.js';
import { DocumentTable } from '../src/dynamo/document-table.js';
import { Sender } from '../src/dynamo/sender.js';
import { Stats } from '../src/engine/index.js';
import { type EngineTable, launchTable } from './engine-table.js';
import { FaultyProxy } from './faulty-proxy.js';

const PASSING = ['ThrottlingException', 'ProvisionedThroughputExceededException', 'InternalServerError', 'TransactionInProgressException'];

let engine: EngineTable;
let proxy: FaultyProxy;
let client: DynamoDBClient;
let disconnect: () => void;
beforeAll(async () => {
  engine = await launchTable();
  proxy = await FaultyProxy.before(engine.connection.endpoint);
  ({ client, close: disconnect } = await connect({ ...engine.connection, endpoint: proxy.endpoint }, engine.table));
});
afterEach(() => proxy.clear());
afterAll(async () => {
  disconnect();
  await proxy.close();
  await engine.close();
});

interface Opened {
  readonly items: DocumentTable;
  readonly stats: Stats;
}

/** A table through the proxy, or through a client that answers as a test says. */
function open(through: Pick<DynamoDBClient, 'send'> = client): Opened {
  const stats = new Stats();
  const { clock, sleep, random } = new FakeRuntime();
  const sender = new Sender(through as DynamoDBClient, engine.table, 2_000, (...request) => stats.request(...request));
  return { items: new DocumentTable(sender, engine.table, { clock, sleep, random, stats }, 10_000), stats };
}

/** What a request asked for, as far as these tests look. */
interface Asked {
  readonly ClientRequestToken?: string;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
}

/** A client that gives one answer after the other, and keeps what it was asked. */
function answering(answers: readonly unknown[]): { send: DynamoDBClient['send']; inputs: Asked[] } {
  const inputs: Asked[] = [];
  const send = async (command: { readonly input: Asked }): Promise<unknown> => {
    inputs.push(structuredClone(command.input));
    const answer = answers[inputs.length - 1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { send: send as never, inputs };
}

const put = (sort: string, n = 1) => ({ kind: 'put', item: { PK: 'p', SK: sort, n } }) as const;
const key = (sort: string) => ({ partition: 'p', sort });
const named = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });

describe('a transaction whose reply is lost', () => {
  it('is sent again with its token, and answers what the first one did', async () => {
    const { items, stats } = open();
    proxy.spoilEach('TransactWriteItems', { kind: 'lose-reply' }, 2);

    const outcome = await items.transact([
      { kind: 'update', key: key('lost'), add: { n: 1 } },
      { ...put('new'), when: [{ attribute: 'PK', is: 'absent' }] },
    ]);

    expect(outcome).toBe('done');
    expect(stats.snapshot()).toMatchObject({ requests: { TransactWriteItems: 3 }, retries: 2 });
    expect(await items.get([key('lost'), key('new')])).toEqual([
      { PK: 'p', SK: 'lost', n: 1 },
      { PK: 'p', SK: 'new', n: 1 },
    ]);
  });

  it.each(PASSING)('and one that answers %s is sent again, by us and not by the SDK', async (type) => {
    const { items, stats } = open();
    proxy.spoilEach(
      'TransactWriteItems',
      { kind: 'answer', status: type === 'InternalServerError' ? 500 : 400, type, carriedOut: false },
      1,
    );

    expect(await items.transact([put(type)])).toBe('done');
    expect(proxy.count('TransactWriteItems')).toBe(2);
    expect(stats.snapshot()).toMatchObject({ requests: { TransactWriteItems: 2 }, retries: 1 });
  });
});

describe("a user's document client with five attempts", () => {
  it('makes none of its own', async () => {
    const own = new DynamoDBClient({ ...engine.connection, endpoint: proxy.endpoint, maxAttempts: 5 });
    const { items, stats } = open(DynamoDBDocumentClient.from(own) as unknown as DynamoDBClient);
    proxy.spoilEach('TransactWriteItems', { kind: 'answer', status: 500, type: 'InternalServerError', carriedOut: false });

    await expect(items.transact([put('attempts')])).rejects.toMatchObject({ reason: 'server', applied: 'unknown' });

    expect(proxy.count('TransactWriteItems')).toBe(stats.snapshot().requests['TransactWriteItems']);
    own.destroy();
  });
});

describe('a transaction that is cancelled', () => {
  const cancelled = (...codes: string[]): Error =>
    named('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

  it('by a condition is a conflict, also where another reason is named', async () => {
    const { send, inputs } = answering([cancelled('None', 'ConditionalCheckFailed', 'TransactionConflict')]);

    expect(await open({ send }).items.transact([put('a')])).toBe('conflict');
    expect(inputs).toHaveLength(1);
  });

  it('by another transaction is sent again with the same token', async () => {
    const { send, inputs } = answering([cancelled('None', 'TransactionConflict'), cancelled('ThrottlingError', 'None'), {}]);

    expect(await open({ send }).items.transact([put('a')])).toBe('done');
    expect(new Set(inputs.map((input) => input.ClientRequestToken)).size).toBe(1);
    expect(inputs).toHaveLength(3);
  });

  it('because it can never work is a failure that says that nothing happened, and is not sent again', async () => {
    const { send, inputs } = answering([cancelled('None', 'ValidationError')]);

    const error = await open({ send })
      .items.transact([put('a')])
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(StoreFailure);
    expect(error).toMatchObject({ reason: 'refused', applied: 'no' });
    expect(inputs).toHaveLength(1);
  });
});

describe('reads and deletes', () => {
  it.each(['BatchGetItem', 'Query', 'Scan', 'BatchWriteItem'])('%s is sent again when its reply is lost', async (operation) => {
    const { items, stats } = open();
    await items.transact([put(`again-${operation}`)]);
    proxy.spoilEach(operation, { kind: 'lose-reply' }, 1);

    await items.get([key(`again-${operation}`)]);
    await items.query({ partition: 'p', pageSize: 1 });
    await items.scan('p', undefined, 10);
    await items.deleteAll([key(`again-${operation}`)]);

    expect(stats.snapshot()).toMatchObject({ requests: { [operation]: 2 }, retries: 1 });
    expect(await items.get([key(`again-${operation}`)])).toEqual([undefined]);
  });

  it('count what they read as read, and what they write as written', async () => {
    const { items, stats } = open();
    await items.transact([put('count-1'), put('count-2')]);
    expect(stats.snapshot()).toMatchObject({ readUnits: 0, writeUnits: 4 });

    await items.get([key('count-1'), key('count-2')]);
    expect(stats.snapshot()).toMatchObject({ readUnits: 2, writeUnits: 4 });
    await items.query({ partition: 'p', prefix: 'count-', pageSize: 5 });
    expect(stats.snapshot()).toMatchObject({ readUnits: 3, writeUnits: 4 });
    await items.scan('p', undefined, 1_000);
    expect(stats.snapshot().readUnits).toBeGreaterThan(3);
    await items.deleteAll([key('count-1'), key('count-2')]);
    expect(stats.snapshot().writeUnits).toBe(6);
  });

  it('ask again for keys that were left unread, and only for those', async () => {
    const table = engine.table;
    const item = (sort: string) => ({ PK: 'p', SK: sort });
    const { send, inputs } = answering([
      { Responses: { [table]: [item('a')] }, UnprocessedKeys: { [table]: { Keys: [item('b'), item('c')] } } },
      { Responses: {}, UnprocessedKeys: { [table]: { Keys: [item('b'), item('c')] } } },
      { Responses: { [table]: [item('c')] }, UnprocessedKeys: { [table]: { Keys: [item('b')] } } },
      { Responses: { [table]: [] }, UnprocessedKeys: {} },
    ]);
    const { items, stats } = open({ send });

    expect(await items.get(['a', 'b', 'c'].map(key))).toEqual([item('a'), undefined, item('c')]);
    const asked = [['a', 'b', 'c'], ['b', 'c'], ['b', 'c'], ['b']].map((sorts) => ({
      [table]: { Keys: sorts.map(item), ConsistentRead: true },
    }));
    expect(inputs.map((input) => input.RequestItems)).toEqual(asked);
    // Only the one that got nowhere was throttled, and waited.
    expect(stats.snapshot()).toMatchObject({ retries: 1 });
  });

  it('send deletes again that were left undone', async () => {
    const table = engine.table;
    const left = (...sorts: string[]) => ({ [table]: sorts.map((sort) => ({ DeleteRequest: { Key: { PK: 'p', SK: sort } } })) });
    const { send, inputs } = answering([{ UnprocessedItems: left('b') }, { UnprocessedItems: left('b') }, {}]);

    await open({ send }).items.deleteAll(['a', 'b'].map(key));

    expect(inputs.map((input) => input.RequestItems)).toEqual([left('a', 'b'), left('b'), left('b')]);
  });

  it('that get nowhere for too long are a failure, never an item that is not there', async () => {
    const table = engine.table;
    const unread = { UnprocessedKeys: { [table]: { Keys: [{ PK: 'p', SK: 'a' }] } } };
    const { send } = answering(Array.from({ length: 20 }, () => unread));

    await expect(open({ send }).items.get([key('a')])).rejects.toMatchObject({ name: 'StoreFailure', reason: 'throttled' });
  });
});
