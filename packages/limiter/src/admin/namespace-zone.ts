import { ATTRIBUTE, MillraceError, type NamespaceRecord, SCHEMA_VERSION, zoneKey } from '@millrace/core';
import { DEFAULT_ZONE, isSameZone } from '@millrace/ledger';
import type { Item, ItemTable } from './item-table.js';

/** The item that tells a namespace's zone to those who know its id only: the aggregator reads keys, and no names. */
export function zoneItem(namespaceId: string, zone: string): Item {
  const { partition, sort } = zoneKey(namespaceId);
  return {
    [ATTRIBUTE.partitionKey]: partition,
    [ATTRIBUTE.sortKey]: sort,
    [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
    [ATTRIBUTE.zone]: zone,
  };
}

/** The zone of a namespace by its id. One read. One of an earlier release has none, and keeps UTC. */
export async function readZone(items: ItemTable, namespaceId: string): Promise<string> {
  const [item] = await items.get([zoneKey(namespaceId)]);
  const zone = item?.[ATTRIBUTE.zone];
  return typeof zone === 'string' ? zone : DEFAULT_ZONE;
}

/** Refuses another zone for a namespace that has one: what was counted by one zone's days cannot be counted by another's. */
export function checkSameZone({ name, id, zone = DEFAULT_ZONE }: NamespaceRecord, wanted: string | undefined): void {
  if (wanted === undefined || isSameZone(wanted, zone)) return;
  throw new MillraceError(
    'NAMESPACE_STATE',
    `cannot register it: the days of namespace "${name}" begin in ${zone}, not in ${wanted}; a zone is fixed when a namespace is registered`,
    { data: { namespace: name, namespaceId: id, zone } },
  );
}
