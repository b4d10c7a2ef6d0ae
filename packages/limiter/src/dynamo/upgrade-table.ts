import { setTimeout as sleepFor } from 'node:timers/promises';
import {
  DescribeTableCommand,
  type DynamoDBClient,
  type ProvisionedThroughput,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { MillraceError, TABLE_DEFINITION, WINDOW_INDEX } from '@millrace/core';
import { checkKeySchema } from './table-lifecycle.js';
import { type WindowIndexState, windowIndexState } from './window-index.js';
import { type TableOptions, withTable } from './with-table.js';

/** What an upgrade has changed. */
export interface UpgradeResult {
  /** The names of the indexes that were added; none where nothing was missing. */
  readonly added: readonly string[];
}

const POLL_MS = 200;
const [INDEX] = TABLE_DEFINITION.GlobalSecondaryIndexes;

/**
 * Adds to a table of an earlier release what this one wants of it, the index of usage windows, and waits until it can be
 * used. Reads and writes go on meanwhile. DynamoDB builds the index from all items of the table, of which only windows have
 * a place in it; on a large table that takes longer than one waits, and goes on by itself: call it again, or look at
 * {@link tableStatus}. A table of the construct gets the index from the construct; added twice, it would be in its way.
 *
 * @throws MillraceError `TABLE_UNUSABLE` if the table is not Millrace's, has another index of that name, or is not done in time
 */
export async function upgradeTable(options: TableOptions): Promise<UpgradeResult> {
  return withTable(options, [], async ({ client, table, timeoutMs }) => {
    await checkKeySchema(client, table);
    const untilMs = Date.now() + timeoutMs;
    let isAdded = false;
    for (;;) {
      const { state, added } = await step(client, table);
      isAdded ||= added;
      if (state === 'usable') return { added: isAdded ? [WINDOW_INDEX] : [] };
      if (Date.now() > untilMs) {
        throw unusable(
          table,
          state,
          `index "${WINDOW_INDEX}" of table "${table}" is ${state} after ${timeoutMs} ms; DynamoDB goes on with it`,
        );
      }
      await sleepFor(POLL_MS);
    }
  });
}

/** Looks at the table, and begins what it lacks. */
async function step(client: DynamoDBClient, table: string): Promise<{ readonly state: WindowIndexState; readonly added: boolean }> {
  const { Table: described } = await client.send(new DescribeTableCommand({ TableName: table }));
  const state = windowIndexState(described);
  if (state === 'unlike')
    throw unusable(table, state, `table "${table}" has an index "${WINDOW_INDEX}" with other keys; delete that one first`);
  if (described?.TableStatus !== 'ACTIVE') return { state: state === 'missing' ? state : 'building', added: false };
  return { state, added: state === 'missing' && (await addIndex(client, table, described)) };
}

function unusable(table: string, status: WindowIndexState, message: string): MillraceError {
  return new MillraceError('TABLE_UNUSABLE', message, { data: { table, status } });
}

/** False if somebody else changes the table just now, or has added it meanwhile. */
async function addIndex(client: DynamoDBClient, table: string, described: TableDescription): Promise<boolean> {
  try {
    await client.send(
      new UpdateTableCommand({
        TableName: table,
        AttributeDefinitions: [...TABLE_DEFINITION.AttributeDefinitions],
        GlobalSecondaryIndexUpdates: [{ Create: { ...INDEX, KeySchema: [...INDEX.KeySchema], ...throughputOf(described) } }],
      }),
    );
    return true;
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'ResourceInUseException' || /already exists/i.test(message)) return false;
    throw error;
  }
}

/** A table with provisioned capacity wants some for each index; an index of it has as much as the table, so that it never holds that up. */
function throughputOf(described: TableDescription): {
  readonly ProvisionedThroughput?: ProvisionedThroughput;
} {
  const { ReadCapacityUnits, WriteCapacityUnits } = described.ProvisionedThroughput ?? {};
  if (described.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' || !ReadCapacityUnits || !WriteCapacityUnits) return {};
  return { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } };
}
