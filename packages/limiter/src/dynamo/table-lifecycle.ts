import { setTimeout as sleepFor } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { MillraceError, SCHEMA_VERSION, TABLE_DEFINITION, TTL_ATTRIBUTE } from '@millrace/core';
import type { Administration } from '../admin/administration.js';
import { migrateSchema } from '../admin/migrations.js';
import { Namespaces } from '../admin/namespaces.js';
import { isReadable, newerTable, readSchema } from '../admin/schema-record.js';
import { type TableOptions, withTable } from './with-table.js';

/** Which table to create, and on whose behalf. */
export interface CreateTableOptions extends TableOptions {
  /** Who does it, for the audit log. @default nobody is named */
  readonly actor?: string;
}

const POLL_MS = 100;
const FIRST_NAMESPACE = 'default';

/**
 * Creates a table as the construct would, waits until it can be used, records its schema, and registers the namespace
 * `default`. For development and tests: in production the table belongs to the construct. Of a table that exists, what
 * is there is left as it is.
 *
 * @throws MillraceError `TABLE_UNUSABLE` if one exists that is not Millrace's, `SCHEMA_VERSION` if it is newer than this release
 */
export async function createTable(options: CreateTableOptions): Promise<void> {
  await withTable(options, ['actor'], async ({ client, table, timeoutMs, administration }) => {
    try {
      await client.send(
        new CreateTableCommand({
          TableName: table,
          ...TABLE_DEFINITION,
          AttributeDefinitions: [...TABLE_DEFINITION.AttributeDefinitions],
          KeySchema: [...TABLE_DEFINITION.KeySchema],
          GlobalSecondaryIndexes: TABLE_DEFINITION.GlobalSecondaryIndexes.map((index) => ({ ...index, KeySchema: [...index.KeySchema] })),
        }),
      );
    } catch (error) {
      if ((error as Error).name !== 'ResourceInUseException') throw error;
    }
    await waitUntil(client, table, 'ACTIVE', timeoutMs);
    await checkKeySchema(client, table);
    await enableTtl(client, table);
    await prepare(administration, table);
  });
}

/** Deletes a table with all that it holds, and waits until it is gone. A table that does not exist is no error. */
export async function deleteTable(options: TableOptions): Promise<void> {
  await withTable(options, [], async ({ client, table, timeoutMs }) => {
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
  await withTable(options, [], ({ client, table, timeoutMs }) => waitUntil(client, table, 'ACTIVE', timeoutMs));
}

/** Writes what every table has to begin with; what is there already, also a deleted namespace, is left. */
async function prepare(administration: Administration, table: string): Promise<void> {
  const schema = await readSchema(administration.items);
  if (schema === undefined) await migrateSchema({ ...administration, table });
  else if (schema.version > SCHEMA_VERSION && !isReadable(schema.version)) throw newerTable(table, schema.version, SCHEMA_VERSION);
  const namespaces = new Namespaces(administration);
  if ((await namespaces.describe(FIRST_NAMESPACE)) === undefined) await namespaces.register(FIRST_NAMESPACE);
}

async function waitUntil(client: DynamoDBClient, table: string, wanted: 'ACTIVE' | 'ABSENT', timeoutMs: number): Promise<void> {
  const untilMs = Date.now() + timeoutMs;
  for (;;) {
    const status = await statusOf(client, table);
    if (status === wanted) return;
    if (Date.now() > untilMs) {
      throw new MillraceError('TABLE_UNUSABLE', `table "${table}" is ${status} after ${timeoutMs} ms, waited for ${wanted}`, {
        data: { table, status },
      });
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
export async function checkKeySchema(client: DynamoDBClient, table: string): Promise<void> {
  const { Table: description } = await client.send(new DescribeTableCommand({ TableName: table }));
  const keys = (description?.KeySchema ?? []).map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`);
  const wanted = TABLE_DEFINITION.KeySchema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`);
  if (keys.join() === wanted.join()) return;
  throw new MillraceError(
    'TABLE_UNUSABLE',
    `table "${table}" is not a table of Millrace: its keys are ${keys.join(', ')}, not ${wanted.join(', ')}`,
    { data: { table } },
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
