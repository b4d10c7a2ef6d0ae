import {
  ATTRIBUTE,
  type AttributeValue,
  type ConfigLevel,
  type ConfigRecord,
  configFromItem,
  configKey,
  type Limit,
  nextVersion,
  SCHEMA_VERSION,
  type WireItem,
} from '@millrace/core';
import type { Condition, Item, ItemWrite } from './item-table.js';

/** A level as it lies in the table: what resolution reads of it, and what only administration does. */
export interface StoredConfig extends ConfigRecord {
  /** The manifest that set what happens when the store cannot be reached. Only at the system level. */
  readonly policyManagedBy?: string;
}

/** Reads a level's item. The engine's own reader decides what is in it, so that the two never disagree. */
export function configOfItem(item: Item | undefined): StoredConfig | undefined {
  if (item === undefined) return undefined;
  const record = configFromItem(wireItem(item));
  const policyManagedBy = item[ATTRIBUTE.policyManagedBy];
  return typeof policyManagedBy === 'string' ? { ...record, policyManagedBy } : record;
}

/** Deleted levels and entities are kept for so long, so that their versions go on growing. */
export const TOMBSTONE_SEC = 30 * 86_400;

/** What an item has whatever it is for; one that has nothing else is a tombstone. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  ATTRIBUTE.partitionKey,
  ATTRIBUTE.sortKey,
  ATTRIBUTE.schemaVersion,
  ATTRIBUTE.version,
  ATTRIBUTE.updatedAtMs,
  ATTRIBUTE.deleted,
  ATTRIBUTE.retired,
  ATTRIBUTE.ttlSec,
]);

/**
 * The write that changes some attributes of a level's item and leaves all others: limits, an entity's control, the
 * system's policy and its closing live on one item, each written by a part that knows nothing of the rest. `undefined`
 * takes an attribute away. It happens only if the item is as `current` says; the version grows. An item without anything
 * left becomes a tombstone, and one that gets something again is none.
 */
export function levelWrite(
  namespaceId: string,
  level: ConfigLevel,
  current: Item | undefined,
  changes: Readonly<Record<string, unknown>>,
  nowMs: number,
): ItemWrite {
  const after = Object.entries({ ...current, ...changes }).filter(([, value]) => value !== undefined);
  const alive = after.some(([attribute]) => !BOOKKEEPING.has(attribute));
  const version = Number(current?.[ATTRIBUTE.version] ?? 0);
  const all: Readonly<Record<string, unknown>> = {
    ...changes,
    ...(current === undefined ? { [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION } : {}),
    [ATTRIBUTE.version]: nextVersion({ version }, nowMs),
    [ATTRIBUTE.updatedAtMs]: Math.floor(nowMs),
    [ATTRIBUTE.deleted]: alive ? undefined : true,
    [ATTRIBUTE.ttlSec]: alive ? undefined : Math.ceil(nowMs / 1000) + TOMBSTONE_SEC,
  };
  const remove = Object.keys(all).filter((attribute) => all[attribute] === undefined);
  return {
    kind: 'update',
    key: configKey(namespaceId, level),
    set: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    ...(remove.length === 0 ? {} : { remove }),
    when: asRead(current),
  };
}

/** The condition that an item is as it was read: the same version, or still absent. */
export function asRead(current: Item | undefined): Condition {
  if (current === undefined) return [{ attribute: ATTRIBUTE.partitionKey, is: 'absent' }];
  return [{ attribute: ATTRIBUTE.version, equals: Number(current[ATTRIBUTE.version] ?? 0) }];
}

/** Limits as plain values: how they are stored, and how they stand in the audit log. */
export function plainLimits(limits: readonly Limit[]): readonly Readonly<Record<string, unknown>>[] {
  return limits.map(({ name, refill, periodMs, capacity, reserve }) => ({ name, refill, periodMs, capacity, reserve }));
}

/** Whether two levels' limits mean the same. Their order does not matter: a bucket keeps each under its name. */
export function sameLimits(a: readonly Limit[] | undefined, b: readonly Limit[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return orderedText(a) === orderedText(b);
}

function orderedText(limits: readonly Limit[]): string {
  return JSON.stringify(plainLimits([...limits].sort((a, b) => (a.name < b.name ? -1 : 1))));
}

/** An item in DynamoDB's own JSON, for core's readers. */
export function wireItem(item: Item): WireItem {
  return Object.fromEntries(Object.entries(item).flatMap(([name, value]) => wireValue(value).map((wire) => [name, wire])));
}

/** A plain value as DynamoDB writes it; none for a kind that no part of Millrace stores. */
function wireValue(value: unknown): AttributeValue[] {
  if (typeof value === 'string') return [{ S: value }];
  if (typeof value === 'number' || typeof value === 'bigint') return [{ N: String(value) }];
  if (typeof value === 'boolean') return [{ BOOL: value }];
  if (Array.isArray(value)) return [{ L: value.flatMap(wireValue) }];
  return typeof value === 'object' && value !== null ? [{ M: wireItem(value as Item) }] : [];
}
