import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { SCHEMA_VERSION, TTL_ATTRIBUTE } from '@millrace/core';
import { isReadable, readSchema } from '../admin/schema-record.js';
import { type WindowIndexState, windowIndexState } from './window-index.js';
import { type TableOptions, withTable } from './with-table.js';

/** How a table is. What is absent was not told: by an engine that does not know it, or for want of a permission. */
export interface TableStatus {
  readonly table: string;
  /** As DynamoDB says: `ACTIVE`, `CREATING`, `UPDATING` and others. */
  readonly status: string;
  /** As DynamoDB counted them last; it counts about every six hours. */
  readonly items?: number;
  readonly sizeBytes?: number;
  /** Whether changes are streamed, with what was before and after. */
  readonly stream: boolean;
  /** Whether items are deleted once they have expired. */
  readonly timeToLive?: boolean;
  readonly pointInTimeRecovery?: boolean;
  /** How the index is by which `usage.top` and seals find who used a resource; limiting does without. */
  readonly usageIndex: WindowIndexState;
  /** 0 where none is recorded; absent while the table cannot be read. */
  readonly schemaVersion?: number;
  /** The schema that this release writes. */
  readonly releaseSchemaVersion: number;
  /** Whether this release can read the table; absent while nobody can. */
  readonly readable?: boolean;
}

/**
 * How a table is, in about four requests. Creates and changes nothing.
 *
 * @throws MillraceError `TABLE_NOT_FOUND`, `TABLE_UNUSABLE` if it is no table of Millrace, and as `createTable`
 */
export async function tableStatus(options: Omit<TableOptions, 'timeoutMs'>): Promise<TableStatus> {
  return withTable(options, [], async ({ client, table, administration }) => {
    const { Table: described } = await client.send(new DescribeTableCommand({ TableName: table }));
    const status = described?.TableStatus ?? 'UNKNOWN';
    const [timeToLive, pointInTimeRecovery] = await Promise.all([timeToLiveOf(client, table), recoveryOf(client, table)]);
    const isThere = status === 'ACTIVE' || status === 'UPDATING';
    const version = isThere ? ((await readSchema(administration.items))?.version ?? 0) : undefined;
    return {
      table,
      status,
      ...(described?.ItemCount === undefined ? {} : { items: described.ItemCount }),
      ...(described?.TableSizeBytes === undefined ? {} : { sizeBytes: described.TableSizeBytes }),
      stream: described?.StreamSpecification?.StreamViewType === 'NEW_AND_OLD_IMAGES',
      ...(timeToLive === undefined ? {} : { timeToLive }),
      ...(pointInTimeRecovery === undefined ? {} : { pointInTimeRecovery }),
      usageIndex: windowIndexState(described),
      ...(version === undefined ? {} : { schemaVersion: version, readable: isReadable(version) }),
      releaseSchemaVersion: SCHEMA_VERSION,
    };
  });
}

function timeToLiveOf(client: DynamoDBClient, table: string): Promise<boolean | undefined> {
  return ifTold(async () => {
    const { TimeToLiveDescription: told } = await client.send(new DescribeTimeToLiveCommand({ TableName: table }));
    return told?.AttributeName === TTL_ATTRIBUTE && (told.TimeToLiveStatus === 'ENABLED' || told.TimeToLiveStatus === 'ENABLING');
  });
}

function recoveryOf(client: DynamoDBClient, table: string): Promise<boolean | undefined> {
  return ifTold(async () => {
    const { ContinuousBackupsDescription: told } = await client.send(new DescribeContinuousBackupsCommand({ TableName: table }));
    const status = told?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
    return status === undefined ? undefined : status === 'ENABLED';
  });
}

/** What an engine answers, or undefined if it refuses to: many for development have no such request. */
async function ifTold<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
    if (status >= 400 && status < 500) return undefined;
    throw error;
  }
}
