import { setTimeout as sleepFor } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Administration } from '../admin/administration.js';
import { eventIds } from '../admin/audit-log.js';
import { TABLE_NAMESPACE_ID } from '../admin/namespace-record.js';
import { Stats } from '../engine/index.js';
import { DocumentTable } from './document-table.js';
import { Sender } from './sender.js';

/** A table, and whatever its requests are sent by. */
export interface TableAdministrationOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Who writes, for the audit log. @default nobody is named */
  readonly actor?: string | undefined;
  /** How long one request may take, in milliseconds. @default 10 000 */
  readonly requestTimeoutMs?: number;
  /** How long one may be sent again and again. @default 30 000 */
  readonly deadlineMs?: number;
  /** @default the system's clock */
  readonly nowMs?: () => number;
}

export const REQUEST_TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;

/** What administration of a table as a whole works with, for tools that open no limiter. Sends nothing. */
export function administrationOver(options: TableAdministrationOptions): Administration {
  const { client, table, actor, requestTimeoutMs = REQUEST_TIMEOUT_MS, deadlineMs = DEADLINE_MS, nowMs = () => Date.now() } = options;
  const retry = {
    clock: { nowMs },
    sleep: async (ms: number) => void (await sleepFor(ms)),
    random: Math.random,
    stats: new Stats(),
  };
  return {
    items: new DocumentTable(new Sender(client, table, requestTimeoutMs, () => undefined), table, retry, deadlineMs),
    namespaceId: TABLE_NAMESPACE_ID,
    nowMs,
    newEventId: eventIds(nowMs),
    actor,
    onChange: () => undefined,
    run: (_, work) => work(),
  };
}
