import { QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { numberAt, textAt, type WindowType, type WireItem } from '@millrace/core';
import { balanceKey, hourPartition, periodKey } from './plugin-items.js';
import { inPool } from './pool.js';
import type { Side, SideWorld } from './side.js';
import { utcStartMs } from './totals.js';

/** A transaction that waits. */
interface Pending {
  readonly key: WireItem;
  readonly record: string;
  readonly atMs: number;
  readonly tokens: number;
}

/**
 * Changes worked off as the EventualConsistency plugin does: each is an item of its own, which is read, booked, and marked
 * as applied by a write of its own. All around the marks is done as well as can be, better than there:
 *
 * - It is told in which hours something waits, and reads only those, side by side. The plugin looks into all of the last 24.
 * - A record's balance and a period's sums are moved by one ADD of all that was folded, not read and written back.
 * - Hours, days, weeks and months go side by side in one wave. The plugin makes days, weeks and months of hours that it reads again.
 * - Records go side by side by the same concurrency as marks; the plugin's default is 5.
 *
 * What remains is its idea: as many writes as changes. Its totals are right as long as nothing fails in between.
 */
export function pluginSide(world: SideWorld): Side {
  return ({ namespaceId, changes }) => {
    const hours = [...new Set(changes.map(({ atMs }) => hourPartition(namespaceId, atMs)))];
    return () => consolidate(world, namespaceId, hours);
  };
}

async function consolidate(world: SideWorld, namespaceId: string, hours: readonly string[]): Promise<void> {
  const { concurrency, windowTypes } = world;
  const found = await inPool(hours, concurrency, (hour) => pendingOf(world, hour));
  const pending = found.flat();
  const balances = folded(pending, ({ record }) => record);
  await inPool([...balances], concurrency, ([record, { sum }]) => add(world, balanceKey(namespaceId, record), { value: sum }));
  await inPool(pending, concurrency, ({ key }) => mark(world, key));
  const periods = windowTypes.flatMap((type) => [...periodsOf(pending, type)].map((period) => ({ type, period })));
  await inPool(periods, concurrency, ({ type, period: [startMs, amounts] }) =>
    add(world, periodKey(namespaceId, type, startMs), { ...amounts }),
  );
}

function periodsOf(pending: readonly Pending[], type: WindowType): ReadonlyMap<number, Amounts> {
  return folded(pending, ({ atMs }) => utcStartMs(type, atMs));
}

interface Amounts {
  sum: number;
  count: number;
}

function folded<K>(pending: readonly Pending[], keyOf: (each: Pending) => K): ReadonlyMap<K, Amounts> {
  const amounts = new Map<K, Amounts>();
  for (const each of pending) {
    const known = amounts.get(keyOf(each));
    if (known === undefined) amounts.set(keyOf(each), { sum: each.tokens, count: 1 });
    else {
      known.sum += each.tokens;
      known.count += 1;
    }
  }
  return amounts;
}

/** The transactions of an hour that have no mark, page by page. */
async function pendingOf({ client, table }: SideWorld, hour: string): Promise<readonly Pending[]> {
  const pending: Pending[] = [];
  let start: WireItem | undefined;
  do {
    const command = new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'PK = :hour',
      ExpressionAttributeValues: { ':hour': { S: hour } },
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const page = await client.send(command);
    pending.push(...(page.Items ?? []).filter(({ applied }) => applied?.BOOL !== true).map((item) => pendingFrom(item as WireItem)));
    start = page.LastEvaluatedKey as WireItem | undefined;
  } while (start !== undefined);
  return pending;
}

function pendingFrom(item: WireItem): Pending {
  const { PK, SK } = item;
  const value = numberAt(item, 'value') ?? Number.NaN;
  return {
    key: { PK, SK } as WireItem,
    record: textAt(item, 'originalId') ?? '',
    atMs: numberAt(item, 'timestamp') ?? Number.NaN,
    tokens: textAt(item, 'operation') === 'sub' ? -value : value,
  };
}

async function mark({ client, table }: SideWorld, key: WireItem): Promise<void> {
  const command = new UpdateItemCommand({
    TableName: table,
    Key: key,
    UpdateExpression: 'SET applied = :yes',
    ConditionExpression: 'applied = :no',
    ExpressionAttributeValues: { ':yes': { BOOL: true }, ':no': { BOOL: false } },
    ReturnConsumedCapacity: 'TOTAL',
  });
  await client.send(command);
}

async function add({ client, table }: SideWorld, key: WireItem, amounts: Readonly<Record<string, number>>): Promise<void> {
  const names = Object.keys(amounts);
  const command = new UpdateItemCommand({
    TableName: table,
    Key: key,
    UpdateExpression: `ADD ${names.map((name) => `#${name} :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, { N: String(amounts[name]) }])),
    ReturnConsumedCapacity: 'TOTAL',
  });
  await client.send(command);
}
