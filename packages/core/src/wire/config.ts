import type { ConfigEntry, ConfigRecord, ConfigRef } from '../config.js';
import { Limit, type LimitDefinition } from '../limit.js';
import { ATTRIBUTE } from '../schema/attributes.js';
import { configKey } from '../schema/keys.js';
import { checkSchemaVersion } from '../schema/version.js';
import { type AttributeValue, flagAt, numberAt, textAt, textsAt, type WireItem, wireKey } from './attribute-value.js';
import { entityFromItem } from './entity.js';

/** DynamoDB's BatchGetItem, as far as Millrace uses it. */
export interface BatchGetWire {
  RequestItems: Record<string, { Keys: WireItem[]; ConsistentRead: boolean }>;
  ReturnConsumedCapacity: 'TOTAL';
}

/** Reads all items of the configuration that an acquire needs in one request. */
export function configReadRequest(table: string, namespaceId: string, refs: readonly ConfigRef[], fresh: boolean): BatchGetWire {
  return {
    RequestItems: { [table]: { Keys: refs.map((ref) => wireKey(configKey(namespaceId, ref))), ConsistentRead: fresh } },
    ReturnConsumedCapacity: 'TOTAL',
  };
}

/** Puts the items of a reply into the order of what was asked for: DynamoDB returns them in any. */
export function configFromItems(namespaceId: string, refs: readonly ConfigRef[], items: readonly WireItem[]): readonly ConfigEntry[] {
  const byKey = new Map(items.map((item) => [keyText(item), item]));
  return refs.map((ref) => {
    const item = byKey.get(keyText(wireKey(configKey(namespaceId, ref))));
    if (item === undefined) return {};
    return ref.level === 'lineage' ? { entity: entityFromItem(item) } : { record: configFromItem(item) };
  });
}

/** The level that an item holds. */
export function configFromItem(item: WireItem): ConfigRecord {
  checkSchemaVersion('the configuration', numberAt(item, ATTRIBUTE.schemaVersion) ?? 0);
  const limits = limitsAt(item);
  const retired = textsAt(item, ATTRIBUTE.retired);
  const [mode, reason] = [textAt(item, ATTRIBUTE.mode), textAt(item, ATTRIBUTE.reason)];
  const [onUnavailable, managedBy] = [textAt(item, ATTRIBUTE.onUnavailable), textAt(item, ATTRIBUTE.managedBy)];
  return {
    ...(limits === undefined ? {} : { limits }),
    ...(retired.length === 0 ? {} : { retired }),
    version: numberAt(item, ATTRIBUTE.version) ?? 0,
    updatedAtMs: numberAt(item, ATTRIBUTE.updatedAtMs) ?? 0,
    ...(isMode(mode) ? { control: { mode, ...(reason === undefined ? {} : { reason }) } } : {}),
    ...(onUnavailable === 'allow' || onUnavailable === 'block' ? { onUnavailable } : {}),
    ...(flagAt(item, ATTRIBUTE.closed) ? { closed: true } : {}),
    ...(managedBy === undefined ? {} : { managedBy }),
  };
}

const MODES: readonly unknown[] = ['enforce', 'shadow', 'bypass', 'disabled'];

function isMode(mode: string | undefined): mode is 'enforce' | 'shadow' | 'bypass' | 'disabled' {
  return MODES.includes(mode);
}

function limitsAt(item: WireItem): readonly Limit[] | undefined {
  const value = item[ATTRIBUTE.limits];
  if (value === undefined || !('L' in value) || value.L.length === 0) return undefined;
  return value.L.flatMap((entry) => ('M' in entry ? [limitFromMap(entry.M)] : []));
}

function limitFromMap(map: { readonly [key: string]: AttributeValue }): Limit {
  const [capacity, reserve] = [numberAt(map, 'capacity'), numberAt(map, 'reserve')];
  const definition: LimitDefinition = {
    name: textAt(map, 'name') ?? '',
    refill: numberAt(map, 'refill') ?? 0,
    periodMs: numberAt(map, 'periodMs') ?? 0,
    ...(capacity === undefined ? {} : { capacity }),
    ...(reserve === undefined ? {} : { reserve }),
  };
  return Limit.of(definition);
}

function keyText(item: WireItem): string {
  return `${textAt(item, ATTRIBUTE.partitionKey)}\n${textAt(item, ATTRIBUTE.sortKey)}`;
}
