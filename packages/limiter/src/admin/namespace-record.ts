import { randomUUID } from 'node:crypto';
import {
  ATTRIBUTE,
  type ItemKey,
  MillraceError,
  type NamespaceRecord,
  type NamespaceState,
  namespaceFromItem,
  namespaceKey,
  SCHEMA_VERSION,
} from '@millrace/core';
import { DEFAULT_ZONE } from '@millrace/ledger';
import type { Condition, Item } from './item-table.js';
import { wireItem } from './level-item.js';

/** What belongs to no namespace: the registry, the schema's version, and the events about both. */
export const TABLE_NAMESPACE_ID = '_';

/** A namespace, as administrators see it. */
export interface NamespaceDescription {
  readonly name: string;
  /** What every key of the namespace begins with; it tells nothing of the name, and is never used again. */
  readonly id: string;
  readonly state: NamespaceState;
  readonly createdAt: Date;
  /** The IANA zone in which the days, weeks and months of its usage begin. */
  readonly zone: string;
  /** When it was deleted; absent while it is active. */
  readonly deletedAt?: Date;
}

/** Twelve hexadecimal digits: short, as every key begins with them, and nothing that anybody could guess. */
export function newNamespaceId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 12);
}

/** The item of a new namespace. */
export function namespaceItem({ name, id, state, createdAtMs, zone }: NamespaceRecord): Item {
  return {
    ...itemKeyOf(namespaceKey(name)),
    [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
    [ATTRIBUTE.name]: name,
    [ATTRIBUTE.namespaceId]: id,
    [ATTRIBUTE.state]: state,
    [ATTRIBUTE.createdAtMs]: createdAtMs,
    ...(zone === undefined ? {} : { [ATTRIBUTE.zone]: zone }),
  };
}

/** The namespace that an item holds. The engine's own reader decides, so that the two never disagree. */
export function namespaceOf(item: Item): NamespaceRecord {
  return namespaceFromItem(wireItem(item));
}

/**
 * The condition that an entry is as it was read. Its id stands for whether it is the same namespace: one that was purged
 * and registered anew has another.
 */
export function namespaceAsRead(item: Item): Condition {
  const state = item[ATTRIBUTE.state];
  return [
    { attribute: ATTRIBUTE.namespaceId, equals: String(item[ATTRIBUTE.namespaceId]) },
    state === undefined ? { attribute: ATTRIBUTE.state, is: 'absent' } : { attribute: ATTRIBUTE.state, equals: String(state) },
  ];
}

export function describeNamespace({
  name,
  id,
  state,
  createdAtMs,
  deletedAtMs,
  zone = DEFAULT_ZONE,
}: NamespaceRecord): NamespaceDescription {
  return {
    name,
    id,
    state,
    createdAt: new Date(createdAtMs),
    zone,
    ...(deletedAtMs === undefined ? {} : { deletedAt: new Date(deletedAtMs) }),
  };
}

/** The error for a namespace that is not in the registry. */
export function noNamespace(name: string): MillraceError<'NAMESPACE_NOT_FOUND'> {
  return new MillraceError('NAMESPACE_NOT_FOUND', `there is no namespace "${name}"; check the name`, { data: { namespace: name } });
}

/** The error for a step that a namespace's state does not allow; it says what to do instead. */
export function stateError(operation: string, { name, id, state }: NamespaceRecord): MillraceError {
  const is = { active: 'is active', deleted: 'is deleted', purging: 'is being purged' }[state];
  const remedy = {
    active: 'delete it first',
    deleted: 'recover it, or purge it, which frees the name',
    purging: 'what it held is lost; purge it again until that has ended, which frees the name',
  }[state];
  const data = { namespace: name, namespaceId: id, state };
  return new MillraceError('NAMESPACE_STATE', `cannot ${operation}: namespace "${name}" ${is}; ${remedy}`, { data });
}

function itemKeyOf({ partition, sort }: ItemKey): Item {
  return { [ATTRIBUTE.partitionKey]: partition, [ATTRIBUTE.sortKey]: sort };
}
