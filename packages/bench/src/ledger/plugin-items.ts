import { type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { numberAt, textAt, type WindowType, type WireItem } from '@millrace/core';
import type { Change, Share } from './changes.js';
import { balanceTotal, periodTotal, Sums, type Totals, utcStartMs } from './totals.js';

/** The items of the other side: transactions by the hour, balances of records, and what all records came to in a period. */
const KIND = { transaction: 'tx', balance: 'value', period: 'an' } as const;
const WRITES_AT_ONCE = 100;

/** The partition of the transactions of an hour: that is how the plugin looks for them. */
export function hourPartition(namespaceId: string, atMs: number): string {
  return `${KIND.transaction}/${namespaceId}/${new Date(utcStartMs('hour', atMs)).toISOString()}`;
}

export function balanceKey(namespaceId: string, record: string): WireItem {
  return { PK: { S: `${KIND.balance}/${namespaceId}` }, SK: { S: record } };
}

export function periodKey(namespaceId: string, type: WindowType, startMs: number): WireItem {
  return { PK: { S: `${KIND.period}/${namespaceId}` }, SK: { S: `${type}/${startMs}` } };
}

/** A change as the plugin writes it down, with the fields of its transactions. */
function transactionOf(namespaceId: string, { key, atMs, tokens }: Change, index: number): WireItem {
  return {
    PK: { S: hourPartition(namespaceId, atMs) },
    SK: { S: `${atMs}/${String(index).padStart(6, '0')}` },
    originalId: { S: key },
    field: { S: 'tokens' },
    value: { N: String(Math.abs(tokens)) },
    operation: { S: tokens < 0 ? 'sub' : 'add' },
    timestamp: { N: String(atMs) },
    applied: { BOOL: false },
  };
}

/** Puts the transactions of a share into the table, where the plugin finds them. What that costs is not counted. */
export async function writeTransactions(client: DynamoDBClient, table: string, { namespaceId, changes }: Share): Promise<void> {
  const items = changes.map((change, index) => transactionOf(namespaceId, change, index));
  for (let first = 0; first < items.length; first += WRITES_AT_ONCE) {
    const puts = items.slice(first, first + WRITES_AT_ONCE).map((Item) => ({ Put: { TableName: table, Item } }));
    await client.send(new TransactWriteItemsCommand({ TransactItems: puts }));
  }
}

/** What balances and periods of a table hold. A transaction without its mark is told, too: it would be booked again. */
export function foundBalances(items: readonly WireItem[]): Totals {
  const sums = new Sums();
  for (const item of items) {
    const [kind = '', namespaceId = ''] = (textAt(item, 'PK') ?? '').split('/');
    const sort = textAt(item, 'SK') ?? '';
    const number = (attribute: string): number => numberAt(item, attribute) ?? Number.NaN;
    if (kind === KIND.balance) sums.add(balanceTotal(namespaceId, sort), number('value'));
    if (kind === KIND.period) {
      const [type = '', startMs = ''] = sort.split('/');
      for (const what of ['sum', 'count'] as const) {
        sums.add(periodTotal(namespaceId, type as WindowType, Number(startMs), what), number(what));
      }
    }
    if (kind === KIND.transaction && (item['applied'] as { BOOL?: boolean }).BOOL !== true) sums.add(`${namespaceId} unmarked`, 1);
  }
  return sums.totals;
}
