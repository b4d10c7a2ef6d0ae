import { ATTRIBUTE, childKey, listKey, MillraceError, nextVersion } from '@millrace/core';
import { type Administration, inTurns } from './administration.js';
import {
  countWrite,
  entityInEvent,
  entityItem,
  eventWrites,
  readEntities,
  type StoredEntity,
  sameChildren,
  unmoved,
  writeEntities,
} from './entity-item.js';
import { deleteBuckets, deleteLevels, readBuckets } from './entity-leftovers.js';
import { childIds } from './entity-tree.js';
import type { ItemWrite } from './item-table.js';
import { TOMBSTONE_SEC } from './level-item.js';

/** How far a deletion is. */
export interface DeleteProgress {
  /** How many entities this call has deleted so far. */
  readonly deleted: number;
  /** The one that it deleted last. */
  readonly entity: string;
}

export interface EntityDeletion {
  /** Whether all that stands below goes, too. */
  readonly children: boolean;
  readonly actor: string | undefined;
  readonly onDeleted: (entity: string) => void;
}

const PAGE_SIZE = 100;

/**
 * Deletes an entity with its limits and its buckets, and all below it before it.
 *
 * Of what is its own, an entity goes last, in one transaction with the links to it: as long as anything of it is left,
 * it is there and is found. So a deletion that was broken off is finished by another.
 */
export async function deleteEntity(parts: Administration, id: string, deletion: EntityDeletion): Promise<void> {
  if (await deleteTree(parts, id, undefined, deletion)) return;
  throw new MillraceError('ENTITY_NOT_FOUND', `there is no entity "${id}", and nothing is stored for it`, { data: { entity: id } });
}

/** Deletes an entity that stands below `parent`, or anywhere if none is named. False if there was nothing to delete. */
function deleteTree(parts: Administration, id: string, parent: string | undefined, deletion: EntityDeletion): Promise<boolean> {
  return inTurns('delete an entity', async () => {
    const [found] = await readEntities(parts, [id]);
    const entity = found?.deleted ? undefined : found;
    // Another has deleted it, or moved it away from what is being deleted.
    if (parent !== undefined && entity?.parent !== parent) return false;
    if (entity === undefined) return deleteUncreated(parts, id, deletion);
    if (entity.childCount > 0) {
      if (!deletion.children) throw hasChildren(entity);
      await deleteChildren(parts, id, deletion);
    }

    await deleteLevels(parts, id, deletion.actor);
    await deleteBuckets(parts, id, await readBuckets(parts, id));
    const isDeleted = (await writeEntities(parts, tombstoneWrites(parts, entity, deletion.actor), [id])) === 'done';
    if (isDeleted) deletion.onDeleted(id);
    return isDeleted ? true : undefined;
  });
}

async function deleteChildren(parts: Administration, id: string, deletion: EntityDeletion): Promise<void> {
  let after: string | undefined;
  do {
    const page = await childIds(parts, id, PAGE_SIZE, after);
    for (const child of page.ids) await deleteTree(parts, child, id, deletion);
    after = page.next;
  } while (after !== undefined);
}

/** An entity need not be created to be limited: then its limits and its buckets are all there is of it. */
async function deleteUncreated(parts: Administration, id: string, { actor, onDeleted }: EntityDeletion): Promise<boolean> {
  const levels = await deleteLevels(parts, id, actor);
  const buckets = await readBuckets(parts, id);
  if (levels === 0 && buckets.firsts.length === 0) return false;
  // First, because buckets are deleted one by one: better an event of what was only begun than none of what was done.
  await parts.items.transact(eventWrites(parts, { action: 'entity.delete', entity: id, actor, nowMs: parts.nowMs() }));
  await deleteBuckets(parts, id, buckets);
  onDeleted(id);
  return true;
}

/** Marks an entity as deleted and takes it off its parent and its list, only if it was not moved and has no children. */
function tombstoneWrites(parts: Administration, entity: StoredEntity, actor: string | undefined): readonly ItemWrite[] {
  const { namespaceId } = parts;
  const { id, parent } = entity;
  const nowMs = parts.nowMs();
  const tombstone = { ...entity, version: nextVersion(entity, nowMs), childCount: 0, deleted: true };
  const item = { ...entityItem(namespaceId, tombstone), [ATTRIBUTE.ttlSec]: Math.ceil(nowMs / 1000) + TOMBSTONE_SEC };
  return [
    { kind: 'put', item, when: [...unmoved(entity), ...sameChildren(tombstone)] },
    { kind: 'delete', key: listKey(namespaceId, { list: 'entities' }, id) },
    ...(parent === undefined
      ? []
      : [countWrite(namespaceId, parent, -1), { kind: 'delete' as const, key: childKey(namespaceId, parent, id) }]),
    ...eventWrites(parts, { action: 'entity.delete', entity: id, actor, nowMs, before: entityInEvent(entity) }),
  ];
}

function hasChildren({ id, childCount }: StoredEntity): MillraceError {
  const them = childCount === 1 ? '1 child' : `${childCount} children`;
  return new MillraceError(
    'ENTITY_HAS_CHILDREN',
    `entity "${id}" has ${them}; delete them first, or together with it by { children: true }`,
    { data: { entity: id, children: childCount } },
  );
}
