import { ATTRIBUTE } from '../schema/attributes.js';
import { namespaceKey } from '../schema/keys.js';
import { checkSchemaVersion } from '../schema/version.js';
import { numberAt, textAt, type WireItem, wireKey } from './attribute-value.js';
import type { GetItemWire } from './bucket.js';

/**
 * How far a namespace has come. `active`: in use. `deleted`: nothing may be acquired in it, all that it holds is there.
 * `purging`: what it holds is being deleted, for good.
 */
export type NamespaceState = 'active' | 'deleted' | 'purging';

/** A namespace's entry in the registry. */
export interface NamespaceRecord {
  readonly name: string;
  /** The opaque id that every key of the namespace begins with. */
  readonly id: string;
  readonly state: NamespaceState;
  readonly createdAtMs: number;
  /** When it was deleted; absent while it is active. */
  readonly deletedAtMs?: number;
  /** The IANA zone in which its days begin; those of an earlier release have none, and keep UTC. */
  readonly zone?: string;
}

export function namespaceReadRequest(table: string, name: string): GetItemWire {
  return { TableName: table, Key: wireKey(namespaceKey(name)), ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' };
}

/** The entry that an item holds. One of an earlier release has no state: it is active. */
export function namespaceFromItem(item: WireItem): NamespaceRecord {
  const name = textAt(item, ATTRIBUTE.name) ?? '';
  checkSchemaVersion(`namespace "${name}"`, numberAt(item, ATTRIBUTE.schemaVersion) ?? 0);
  const [state, deletedAtMs] = [textAt(item, ATTRIBUTE.state), numberAt(item, ATTRIBUTE.deletedAtMs)];
  const zone = textAt(item, ATTRIBUTE.zone);
  return {
    name,
    id: textAt(item, ATTRIBUTE.namespaceId) ?? '',
    state: state === 'deleted' || state === 'purging' ? state : 'active',
    createdAtMs: numberAt(item, ATTRIBUTE.createdAtMs) ?? 0,
    ...(deletedAtMs === undefined ? {} : { deletedAtMs }),
    ...(zone === undefined ? {} : { zone }),
  };
}
