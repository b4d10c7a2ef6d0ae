import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { checkInteger, checkKeys, MillraceError, StoreFailure } from '@millrace/core';
import { type Administration, checkActor } from '../admin/administration.js';
import { errorFor } from '../engine/index.js';
import { failureFor } from '../wire/failures.js';
import { type Connection, type ConnectionOptions, checkTableName, connect } from './client.js';
import { administrationOver, REQUEST_TIMEOUT_MS } from './table-administration.js';

/** Which table, and how to reach it. */
export interface TableOptions extends ConnectionOptions {
  readonly table: string;
  /** How long to wait until the table is as asked, in milliseconds. @default 60000 */
  readonly timeoutMs?: number;
}

/** A table that was reached, for one piece of work on the whole of it. */
export interface ReachedTable {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly timeoutMs: number;
  /** What administration of the table as a whole works with. */
  readonly administration: Administration;
}

const KNOWN = ['table', 'timeoutMs', 'endpoint', 'region', 'credentials', 'client'] as const;

/** Connects for one piece of work; what the SDK throws in it becomes an error of Millrace. `more` are further options of the work. */
export async function withTable<T>(
  options: TableOptions & { readonly actor?: string },
  more: readonly string[],
  work: (reached: ReachedTable) => Promise<T>,
): Promise<T> {
  checkKeys('options', options, [...KNOWN, ...more]);
  const timeoutMs = checkInteger('option "timeoutMs"', options.timeoutMs ?? 60_000, 1, 3_600_000);
  const table = checkTableName(options.table);
  const actor = checkActor({ actor: undefined }, options.actor === undefined ? {} : { actor: options.actor });
  let connection: Connection | undefined;
  try {
    connection = await connect(options, table);
    const { client } = connection;
    return await work({ client, table, timeoutMs, administration: administrationOver({ client, table, actor }) });
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw errorFor(error instanceof StoreFailure ? error : failureFor(error, table, REQUEST_TIMEOUT_MS));
  } finally {
    connection?.close();
  }
}
