import { childKey, listKey, MillraceError, newEntity } from '@millrace/core';
import type { Administration } from './administration.js';
import {
  countWrite,
  entityInEvent,
  entityItem,
  eventWrites,
  existing,
  readEntities,
  type StoredEntity,
  unmoved,
  writeEntities,
} from './entity-item.js';
import { chainFrom, standing } from './entity-tree.js';
import type { ItemWrite } from './item-table.js';
import { putLink } from './level-links.js';

/** What a new entity is to be. */
export interface NewEntity {
  readonly id: string;
  readonly parent: string | undefined;
  readonly cascade: boolean;
  readonly actor: string | undefined;
}

/**
 * Creates an entity, if that can be done with what is there now; undefined where somebody came in between.
 *
 * One transaction writes the entity, the links to it and its parent's count, only if neither it nor the parent has
 * changed since they were read. The count is why nobody can delete a parent while a child is being created; the
 * parent's version is why nobody can move it meanwhile without meeting the child.
 */
export async function createEntity(parts: Administration, wanted: NewEntity): Promise<StoredEntity | undefined> {
  const { namespaceId } = parts;
  const { id, actor } = wanted;
  const [previous, above] = await readEntities(parts, wanted.parent === undefined ? [id] : [id, wanted.parent]);
  if (previous !== undefined && !previous.deleted) {
    throw new MillraceError('ENTITY_EXISTS', `entity "${id}" exists; delete it first to create it anew`, { data: { entity: id } });
  }
  const parent = wanted.parent === undefined ? undefined : existing(wanted.parent, above, id);
  const chain = parent === undefined ? [] : await chainFrom(parts, parent);
  if (chain === undefined) return undefined;

  const nowMs = parts.nowMs();
  const entity = newEntity(id, standing(chain), wanted.cascade, previous, nowMs);
  const writes: readonly ItemWrite[] = [
    { kind: 'put', item: entityItem(namespaceId, entity), when: unmoved(previous) },
    putLink(listKey(namespaceId, { list: 'entities' }, id)),
    ...(parent === undefined ? [] : [countWrite(namespaceId, parent.id, 1, parent), putLink(childKey(namespaceId, parent.id, id))]),
    ...eventWrites(parts, { action: 'entity.create', entity: id, actor, nowMs, after: entityInEvent(entity) }),
  ];
  const outcome = await writeEntities(parts, writes, [id]);
  return outcome === 'done' ? { ...entity, moving: false } : undefined;
}
