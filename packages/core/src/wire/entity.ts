import type { EntityRecord } from '../lineage.js';
import { ATTRIBUTE } from '../schema/attributes.js';
import { checkSchemaVersion } from '../schema/version.js';
import { flagAt, numberAt, textAt, textsAt, type WireItem } from './attribute-value.js';

/** The entity that an item holds. */
export function entityFromItem(item: WireItem): EntityRecord {
  const id = textAt(item, ATTRIBUTE.name) ?? '';
  checkSchemaVersion(`entity "${id}"`, numberAt(item, ATTRIBUTE.schemaVersion) ?? 0);
  const parent = textAt(item, ATTRIBUTE.parent);
  const parentVersion = numberAt(item, ATTRIBUTE.parentVersion);
  return {
    id,
    ...(parent === undefined ? {} : { parent }),
    ...(parentVersion === undefined ? {} : { parentVersion }),
    cascade: flagAt(item, ATTRIBUTE.cascade),
    ancestors: textsAt(item, ATTRIBUTE.ancestors),
    chargedCount: numberAt(item, ATTRIBUTE.chargedCount) ?? 0,
    version: numberAt(item, ATTRIBUTE.version) ?? 0,
    createdAtMs: numberAt(item, ATTRIBUTE.createdAtMs) ?? 0,
    childCount: numberAt(item, ATTRIBUTE.childCount) ?? 0,
    deleted: flagAt(item, ATTRIBUTE.deleted),
  };
}
