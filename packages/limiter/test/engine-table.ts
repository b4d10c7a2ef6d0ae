import { randomUUID } from 'node:crypto';
import { type AttributeValue, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { createTable, deleteTable } from '@millrace/limiter/admin';
import { type LaunchOptions, type LocalEngine, launchEngine } from '@millrace/testing';

/** How a test reaches an engine. */
interface EngineConnection {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: LocalEngine['credentials'];
}

/** A table of a test's own on a local engine. */
export interface EngineTable {
  readonly engine: LocalEngine;
  readonly table: string;
  readonly connection: EngineConnection;
  /** A client of the test's own, for what no limiter shows. */
  readonly client: DynamoDBClient;
  /** All items, as text that is the same if and only if they are. */
  contents(): Promise<string>;
  close(): Promise<void>;
}

function connectionOf({ endpoint, region, credentials }: LocalEngine): EngineConnection {
  return { endpoint, region, credentials };
}

/** Creates a table of a new name on an engine that runs. */
export async function tableOn(engine: LocalEngine): Promise<EngineTable> {
  const connection = connectionOf(engine);
  const table = `millrace-${randomUUID()}`;
  const client = new DynamoDBClient(connection);
  await createTable({ table, ...connection });
  return {
    engine,
    table,
    connection,
    client,
    contents: () => contentsOf(client, table),
    async close() {
      client.destroy();
      await deleteTable({ table, ...connection });
    },
  };
}

/** Starts an engine with a table on it; closing the table ends the engine. */
export async function launchTable(options: LaunchOptions = {}): Promise<EngineTable> {
  const engine = await launchEngine(options);
  const table = await tableOn(engine);
  return {
    ...table,
    async close() {
      await table.close();
      await engine.close();
    },
  };
}

/** All items of a table, as text that is the same if and only if they are. */
async function contentsOf(client: DynamoDBClient, table: string): Promise<string> {
  const items: string[] = [];
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    for (const item of page.Items ?? []) items.push(JSON.stringify(sorted(item)));
  }
  return items.sort().join('\n');
}

function sorted(item: Record<string, AttributeValue>): [string, AttributeValue][] {
  return Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
}
