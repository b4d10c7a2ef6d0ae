import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable, deleteTable, waitForTable } from '@millrace/limiter/admin';
import { describeBucketStore } from '@millrace/testing/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../src/dynamo/client.js';
import { SdkTransport } from '../src/dynamo/sdk-transport.js';
import { Sender } from '../src/dynamo/sender.js';
import { DynamoStore } from '../src/wire/dynamo-store.js';
import { type EngineTable, launchTable } from './engine-table.js';

const TIMEOUT_MS = 30_000;
const limits = [Limit.perMinute('rpm', 10), Limit.perMinute('tpm', 1_000, { reserve: 0 })];

describe('with a document client', () => {
  let engine: EngineTable;
  let client: DynamoDBDocumentClient;
  beforeAll(async () => {
    engine = await launchTable();
    // Options that change what the document client makes of a value: none of it may touch our requests.
    client = DynamoDBDocumentClient.from(new DynamoDBClient(engine.connection), {
      marshallOptions: { convertEmptyValues: true, removeUndefinedValues: true },
      unmarshallOptions: { wrapNumbers: true },
    });
  });
  afterAll(async () => {
    client.destroy();
    await engine.close();
  });

  const openStore = async () => {
    const table = `document-${randomUUID()}`;
    await createTable({ table, client });
    const connection = await connect({ client }, table);
    return {
      store: new DynamoStore(new SdkTransport(new Sender(connection.client, table, TIMEOUT_MS, () => undefined)), table),
      close: () => deleteTable({ table, client }),
    };
  };
  describeBucketStore('DynamoStore', openStore);

  it('creates, waits for and deletes tables', async () => {
    const table = 'document-table';
    await createTable({ table, client });
    await waitForTable({ table, client });
    await (await RateLimiter.open({ table, client })).close();

    await deleteTable({ table, client });

    await expect(RateLimiter.open({ table, client })).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
  });

  it('acquires, adjusts, releases and reads, and keeps plain numbers in the table', async () => {
    const limiter = await RateLimiter.open({ table: engine.table, client, clock: { nowMs: () => 1_800_000_000_000 } });
    await limiter.entities.create('org');
    await limiter.entities.create('key', { parent: 'org', cascade: true });

    const lease = await limiter.acquire('key', 'api', { rpm: 2, tpm: 300 }, { limits });
    await lease.adjust({ tpm: -100 });
    const other = await limiter.acquire('key', 'api', { rpm: 1 }, { limits });
    await other.release();

    expect(await limiter.available('key', 'api', { limits })).toEqual({ rpm: 8, tpm: 800 });
    expect(lease.consumed).toEqual({ rpm: 2, tpm: 200 });
    const items = (await engine.contents()).split('\n').filter((item) => item.includes('/b/'));
    expect(items).toHaveLength(2);
    for (const item of items) expect(item).toMatch(/\["u\.rpm",\{"N":"\d+"\}\]/);
    await limiter.close();
  });

  it('still marshals and unmarshals what its owner sends', async () => {
    const limiter = await RateLimiter.open({ table: engine.table, client });
    await limiter.acquire('owner', 'api', { rpm: 1 }, { limits });
    await limiter.close();
    const key = { PK: 'mine', SK: 'mine' };

    await client.send(new PutCommand({ TableName: engine.table, Item: { ...key, list: [1, 'two', { three: undefined, empty: '' }] } }));

    const raw = await engine.client.send(new GetItemCommand({ TableName: engine.table, Key: { PK: { S: 'mine' }, SK: { S: 'mine' } } }));
    expect(raw.Item?.['list']).toEqual({ L: [{ N: '1' }, { S: 'two' }, { M: { empty: { NULL: true } } }] });
    const { Item: item } = await client.send(new GetCommand({ TableName: engine.table, Key: key }));
    expect(item?.['list'][1]).toBe('two');
    expect(String(item?.['list'][0].value)).toBe('1');
  });

  it('stays open when the limiter is closed', async () => {
    const limiter = await RateLimiter.open({ table: engine.table, client });
    await limiter.close();

    const { Item: item } = await client.send(new GetCommand({ TableName: engine.table, Key: { PK: 'nothing', SK: 'here' } }));

    expect(item).toBeUndefined();
  });
});
