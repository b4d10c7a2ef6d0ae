import {
  ATTRIBUTE,
  type EntityRecord,
  entityFromItem,
  entityKey,
  MillraceError,
  nextVersion,
  type Place,
  SCHEMA_VERSION,
} from '@millrace/core';
import type { Administration } from './administration.js';
import { type AuditEvent, auditWrites } from './audit-event.js';
import type { Clause, Condition, Item, ItemWrite } from './item-table.js';
import { wireItem } from './level-item.js';

/** An entity as it lies in the table: what resolution reads of it, and what only administration does. */
export interface StoredEntity extends EntityRecord {
  /** It was moved, and what stands below it may still have the ancestors of before. */
  readonly moving: boolean;
}

/** What it takes to find entities. */
export type EntityPlaces = Pick<Administration, 'items' | 'namespaceId'>;

const { partitionKey, sortKey, schemaVersion, version, deleted, moving, childCount, parent, parentVersion } = ATTRIBUTE;

/** Reads entities as of now, those that were deleted included. One request for each hundred. */
export async function readEntities(
  { items, namespaceId }: EntityPlaces,
  ids: readonly string[],
): Promise<readonly (StoredEntity | undefined)[]> {
  if (ids.length === 0) return [];
  const found = await items.get(ids.map((id) => entityKey(namespaceId, id)));
  return found.map((item) => (item === undefined ? undefined : { ...entityFromItem(wireItem(item)), moving: item[moving] === true }));
}

/** An entity that has to be there; `child` shall stand below it. @throws MillraceError `ENTITY_NOT_FOUND` */
export function existing(id: string, entity: StoredEntity | undefined, child?: string): StoredEntity {
  if (entity === undefined || entity.deleted) {
    const data = { entity: id, ...(child === undefined ? {} : { child }) };
    throw new MillraceError('ENTITY_NOT_FOUND', `there is no entity "${id}"; create it first`, { data });
  }
  return entity;
}

/** The item of an entity. */
export function entityItem(namespaceId: string, entity: EntityRecord): Item {
  const key = entityKey(namespaceId, entity.id);
  return {
    [partitionKey]: key.partition,
    [sortKey]: key.sort,
    [schemaVersion]: SCHEMA_VERSION,
    [ATTRIBUTE.name]: entity.id,
    ...placeAttributes(entity),
    [childCount]: entity.childCount,
    [version]: entity.version,
    [ATTRIBUTE.createdAtMs]: Math.floor(entity.createdAtMs),
    [deleted]: entity.deleted,
  };
}

function placeAttributes(place: Place): Readonly<Record<string, unknown>> {
  return {
    ...(place.parent === undefined ? {} : { [parent]: place.parent }),
    ...(place.parentVersion === undefined ? {} : { [parentVersion]: place.parentVersion }),
    [ATTRIBUTE.cascade]: place.cascade,
    [ATTRIBUTE.ancestors]: place.ancestors,
    [ATTRIBUTE.chargedCount]: place.chargedCount,
  };
}

/** The entity at another place. Its version grows, so that no bucket of it takes a writer who knows the old one. */
export function placedAt(entity: StoredEntity, place: Place, nowMs: number, isMoving: boolean): StoredEntity {
  const { parent: _parent, parentVersion: _parentVersion, ...rest } = entity;
  return { ...rest, ...place, version: nextVersion(entity, nowMs), moving: isMoving };
}

/** The write that puts an entity where `placed` stands. The count of its children, which others may change, is left alone. */
export function placeWrite(namespaceId: string, placed: StoredEntity, when: Condition): ItemWrite {
  const set = { ...placeAttributes(placed), [version]: placed.version, ...(placed.moving ? { [moving]: true } : {}) };
  const remove = [parent, parentVersion, moving].filter((attribute) => !(attribute in set));
  return { kind: 'update', key: entityKey(namespaceId, placed.id), set, ...(remove.length === 0 ? {} : { remove }), when };
}

/** The condition that an entity is where it was when it was read: the same version, or still absent. */
export function unmoved(entity: EntityRecord | undefined): readonly Clause[] {
  return entity === undefined ? [{ attribute: partitionKey, is: 'absent' }] : [{ attribute: version, equals: entity.version }];
}

/** The condition that an entity has as many children as when it was read. */
export function sameChildren(entity: EntityRecord): readonly Clause[] {
  return [{ attribute: childCount, equals: entity.childCount }];
}

/** Writes nothing, but lets a transaction happen only if an entity is there, and where it was when it was read. */
export function standsStill(namespaceId: string, entity: EntityRecord): ItemWrite {
  return { kind: 'check', key: entityKey(namespaceId, entity.id), when: [...PRESENT, ...unmoved(entity)] };
}

/** Counts children of an entity that is there; of `asRead`, only if it is where it was when that was read. */
export function countWrite(namespaceId: string, id: string, change: number, asRead?: EntityRecord): ItemWrite {
  const when = asRead === undefined ? PRESENT : [...PRESENT, ...unmoved(asRead)];
  return { kind: 'update', key: entityKey(namespaceId, id), add: { [childCount]: change }, when };
}

const PRESENT: Condition = [
  { attribute: childCount, is: 'present' },
  { attribute: deleted, equals: false },
];

/** What happened to an entity, as its events are told. */
export interface EntityChange extends Pick<AuditEvent, 'action' | 'resource' | 'before' | 'after'> {
  readonly entity: string;
  readonly actor: string | undefined;
  readonly nowMs: number;
}

/** The writes that leave an event of an entity. They belong into the transaction of the change. */
export function eventWrites(parts: Pick<Administration, 'namespaceId' | 'newEventId'>, change: EntityChange): readonly ItemWrite[] {
  const { entity, actor, nowMs, ...event } = change;
  const whole = { id: parts.newEventId(), subject: `entity/${entity}`, ...(actor === undefined ? {} : { actor }), ...event };
  return auditWrites(parts.namespaceId, whole, nowMs);
}

/** An entity as events show it. */
export function entityInEvent({ parent: above, cascade, ancestors }: EntityRecord): unknown {
  return { ...(above === undefined ? {} : { parent: above }), cascade, ancestors };
}

/** Writes, and says that the lineages of entities changed, also if the answer was lost: the write may have happened. */
export function writeEntities(
  { items, onChange }: Pick<Administration, 'items' | 'onChange'>,
  writes: readonly ItemWrite[],
  entities: readonly string[],
): Promise<'done' | 'conflict'> {
  return items.transact(writes).finally(() => onChange(entities.map((entity) => ({ level: 'lineage', entity }))));
}
