import { ATTRIBUTE, SCHEMA_VERSION, StoreFailure, usageKey, type WindowRef, windowAttribute, windowName } from '@millrace/core';
import { expiresSec, holdsChange, mergeChange, type Retention, type UsageWindowItem, type WindowChange } from '@millrace/ledger';
import type { Administration } from '../admin/administration.js';
import type { Clause, Item, ItemTable, ItemWrite } from '../admin/item-table.js';
import { windowOfItem } from './read-windows.js';

type Attributes = Readonly<Record<string, bigint | number | boolean>>;

/** How a window is to change, given what it holds; the same again where it is not to. */
export type WindowEdit = (known: UsageWindowItem | undefined) => UsageWindowItem | undefined;

/** Sees to it that a window holds at least what a change says. */
export function widening(change: WindowChange): WindowEdit {
  return (known) => (known === undefined ? change : holdsChange(known, change) ? known : mergeChange(known, change));
}

/** How often a window is read again because somebody wrote to it in between; the aggregator writes the busiest about once a second. */
const MAX_TRIES = 16;

/**
 * Changes one window in a transaction of its own, on the condition that what changes is as it was read. What else the
 * window holds may move meanwhile: it is being written to while it is repaired. `extra` is written in the same transaction.
 */
export async function editWindow(
  items: ItemTable,
  ref: WindowRef,
  edit: WindowEdit,
  retention: Retention,
  extra: readonly ItemWrite[] = [],
): Promise<'written' | 'known'> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [item] = await items.get([usageKey(ref)]);
    const known = item === undefined ? undefined : windowOfItem(item);
    const wanted = edit(known);
    const write = wanted === undefined ? undefined : writeOf(known, wanted, retention);
    if (write === undefined) return 'known';
    if ((await items.transact([write, ...extra])) === 'done') return 'written';
  }
  throw new StoreFailure('throttled', 'no', `cannot write a usage window: others changed it ${MAX_TRIES} times in a row`);
}

/** The ledger's conditional write through the port of administration: what the aggregator does with UpdateItem. */
export function windowsIn({ items }: Pick<Administration, 'items'>, retention: Retention) {
  return { widen: (change: WindowChange) => editWindow(items, change.ref, widening(change), retention) };
}

function writeOf(known: UsageWindowItem | undefined, wanted: UsageWindowItem, retention: Retention): ItemWrite | undefined {
  const key = usageKey(wanted.ref);
  if (known === undefined) {
    return { kind: 'put', item: itemOf(wanted, retention), when: [{ attribute: ATTRIBUTE.partitionKey, is: 'absent' }] };
  }
  const [before, after] = [attributesOf(known), attributesOf(wanted)];
  const changed = Object.entries(after).filter(([attribute, value]) => before[attribute] !== value);
  if (changed.length === 0) return undefined;
  const when = changed.map(([attribute]): Clause => {
    const value = before[attribute];
    return value === undefined ? { attribute, is: 'absent' } : { attribute, equals: value };
  });
  return { kind: 'update', key, set: Object.fromEntries(changed), when };
}

function itemOf(window: UsageWindowItem, retention: Retention): Item {
  const { partition, sort } = usageKey(window.ref);
  const [expires, name] = [expiresSec(window.ref, retention), windowName(window.ref)];
  return {
    [ATTRIBUTE.partitionKey]: partition,
    [ATTRIBUTE.sortKey]: sort,
    [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
    ...(name === undefined ? {} : { [ATTRIBUTE.windowName]: name }),
    ...(expires === undefined ? {} : { [ATTRIBUTE.ttlSec]: expires }),
    ...attributesOf(window),
  };
}

function attributesOf({ seq, limits }: UsageWindowItem): Attributes {
  const attributes: Record<string, bigint | number | boolean> = { [ATTRIBUTE.seqFrom]: seq.from, [ATTRIBUTE.seqTo]: seq.to };
  for (const [limit, { used, returned, isBirth }] of limits) {
    attributes[windowAttribute('usedFrom', limit)] = used.from;
    attributes[windowAttribute('usedTo', limit)] = used.to;
    attributes[windowAttribute('returnedFrom', limit)] = returned.from;
    attributes[windowAttribute('returnedTo', limit)] = returned.to;
    attributes[windowAttribute('birth', limit)] = isBirth;
  }
  return attributes;
}
