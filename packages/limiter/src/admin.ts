import { randomUUID } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { checkInteger, checkKeys, checkName, MillraceError, StoreFailure, TABLE_DEFINITION, TTL_ATTRIBUTE } from '@millrace/core';
import { type Connection, type ConnectionOptions, checkTableName, connect } from './dynamo/client.js';
import { DynamoStore } from './dynamo/dynamo-store.js';
import { failureFor } from './dynamo/failures.js';
import { Sender } from './dynamo/sender.js';
import { errorFor } from './engine/index.js';

/** Which table, and how to reach it. */
export interface TableOptions extends ConnectionOptions {
  readonly table: string;
  /** How long to wait until the table is as asked, in milliseconds. @default 60000 */
  readonly timeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 10_000;
const POLL_MS = 100;

/**
 * Creates a table as the construct would, waits until it can be used, and registers the namespace `default`. For
 * development and tests: in production the table belongs to the construct. A table that exists is left as it is.
 */
export async function createTable(options: TableOptions): Promise<void> {
  await withTable(options, async (client, table, timeoutMs) => {
    try {
      await client.send(
        new CreateTableCommand({
          TableName: table,
          ...TABLE_DEFINITION,
          AttributeDefinitions: [...TABLE_DEFINITION.AttributeDefinitions],
          KeySchema: [...TABLE_DEFINITION.KeySchema],
        }),
      );
    } catch (error) {
      if ((error as Error).name !== 'ResourceInUseException') throw error;
    }
    await waitUntil(client, table, 'ACTIVE', timeoutMs);
    await checkKeySchema(client, table);
    await enableTtl(client, table);
    const store = new DynamoStore(new Sender(client, table, REQUEST_TIMEOUT_MS, () => undefined), table);
    // Twelve hexadecimal digits: short, as every key begins with it, and no name that anybody could guess.
    await store.registerNamespace(
      { name: checkName('namespace', 'default'), id: randomUUID().replaceAll('-', '').slice(0, 12) },
      Date.now(),
    );
  });
}

/** Deletes a table with all that it holds, and waits until it is gone. A table that does not exist is no error. */
export async function deleteTable(options: TableOptions): Promise<void> {
  await withTable(options, async (client, table, timeoutMs) => {
    try {
      await client.send(new DeleteTableCommand({ TableName: table }));
    } catch (error) {
      if ((error as Error).name !== 'ResourceNotFoundException') throw error;
    }
    await waitUntil(client, table, 'ABSENT', timeoutMs);
  });
}

/** Waits until a table can be used. */
export async function waitForTable(options: TableOptions): Promise<void> {
  await withTable(options, (client, table, timeoutMs) => waitUntil(client, table, 'ACTIVE', timeoutMs));
}

async function withTable(
  options: TableOptions,
  work: (client: DynamoDBClient, table: string, timeoutMs: number) => Promise<void>,
): Promise<void> {
  checkKeys('options', options, ['table', 'timeoutMs', 'endpoint', 'region', 'credentials', 'client']);
  const timeoutMs = checkInteger('option "timeoutMs"', options.timeoutMs ?? 60_000, 1, 3_600_000);
  const table = checkTableName(options.table);
  let connection: Connection | undefined;
  try {
    connection = await connect(options, table);
    await work(connection.client, table, timeoutMs);
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw errorFor(error instanceof StoreFailure ? error : failureFor(error, table, REQUEST_TIMEOUT_MS));
  } finally {
    connection?.close();
  }
}

async function waitUntil(client: DynamoDBClient, table: string, wanted: 'ACTIVE' | 'ABSENT', timeoutMs: number): Promise<void> {
  const untilMs = Date.now() + timeoutMs;
  for (;;) {
    const status = await statusOf(client, table);
    if (status === wanted) return;
    if (Date.now() > untilMs) {
      throw new MillraceError('TABLE_UNUSABLE', `table "${table}" is ${status} after ${timeoutMs} ms, waited for ${wanted}`);
    }
    await sleepFor(POLL_MS);
  }
}

async function statusOf(client: DynamoDBClient, table: string): Promise<string> {
  try {
    const { Table: description } = await client.send(new DescribeTableCommand({ TableName: table }));
    return description?.TableStatus ?? 'UNKNOWN';
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return 'ABSENT';
    throw error;
  }
}

/** A table that existed before may be anybody's: nothing is written to one whose keys are not ours. */
async function checkKeySchema(client: DynamoDBClient, table: string): Promise<void> {
  const { Table: description } = await client.send(new DescribeTableCommand({ TableName: table }));
  const keys = (description?.KeySchema ?? []).map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`);
  const wanted = TABLE_DEFINITION.KeySchema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`);
  if (keys.join() === wanted.join()) return;
  throw new MillraceError(
    'TABLE_UNUSABLE',
    `table "${table}" is not a table of Millrace: its keys are ${keys.join(', ')}, not ${wanted.join(', ')}`,
  );
}

async function enableTtl(client: DynamoDBClient, table: string): Promise<void> {
  try {
    await client.send(
      new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true } }),
    );
  } catch (error) {
    // DynamoDB refuses to turn on what is on.
    if (!/already enabled/i.test((error as Error).message)) throw error;
  }
}
