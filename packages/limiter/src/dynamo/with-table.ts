import { setTimeout as sleepFor } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { checkInteger, checkKeys, MillraceError, StoreFailure } from '@millrace/core';
import { type Administration, checkActor } from '../admin/administration.js';
import { eventIds } from '../admin/audit-log.js';
import { TABLE_NAMESPACE_ID } from '../admin/namespace-record.js';
import { errorFor, Stats } from '../engine/index.js';
import { failureFor } from '../wire/failures.js';
import { type Connection, type ConnectionOptions, checkTableName, connect } from './client.js';
import { DocumentTable } from './document-table.js';
import { Sender } from './sender.js';

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

const REQUEST_TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;
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
    return await work({ client, table, timeoutMs, administration: administrationOn(client, table, actor) });
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw errorFor(error instanceof StoreFailure ? error : failureFor(error, table, REQUEST_TIMEOUT_MS));
  } finally {
    connection?.close();
  }
}

function administrationOn(client: DynamoDBClient, table: string, actor: string | undefined): Administration {
  const retry = {
    clock: { nowMs: () => Date.now() },
    sleep: async (ms: number) => void (await sleepFor(ms)),
    random: Math.random,
    stats: new Stats(),
  };
  return {
    items: new DocumentTable(new Sender(client, table, REQUEST_TIMEOUT_MS, () => undefined), table, retry, DEADLINE_MS),
    namespaceId: TABLE_NAMESPACE_ID,
    nowMs: () => Date.now(),
    newEventId: eventIds(() => Date.now()),
    actor,
    onChange: () => undefined,
    run: (_, work) => work(),
  };
}
