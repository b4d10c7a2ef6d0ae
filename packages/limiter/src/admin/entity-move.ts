import { childKey, type EntityRecord, MAX_DEPTH, type Place, placeBelow, ValidationError } from '@millrace/core';
import { type Administration, inTurns } from './administration.js';
import {
  countWrite,
  entityInEvent,
  eventWrites,
  existing,
  placedAt,
  placeWrite,
  readEntities,
  type StoredEntity,
  sameChildren,
  standsStill,
  unmoved,
  writeEntities,
} from './entity-item.js';
import { cascadeToNobody } from './entity-options.js';
import { settleBelow } from './entity-settle.js';
import { chainFrom, type Subtree, standing, subtreeOf } from './entity-tree.js';
import { type ItemWrite, MAX_TRANSACTION_WRITES } from './item-table.js';
import { putLink } from './level-links.js';

/** Where an entity is to stand. What is absent stays as it is; a parent of null is none. */
export interface EntityMove {
  readonly id: string;
  readonly parent: string | null | undefined;
  readonly cascade: boolean | undefined;
  readonly actor: string | undefined;
}

/** So often it is tried to move an entity and all below it at once; where others keep changing it, it is done in steps. */
const TURNS_AT_ONCE = 4;

/**
 * Moves an entity with all that stands below it; see docs/adr/0011-moving-an-entity.md.
 *
 * The transaction that moves it holds only if nobody above its new place was moved since that was read, so two moves at
 * once never make a ring. Where all that stands below fits in, it is brought along in the same transaction; else the
 * entity keeps a mark until the rest has followed, and whoever moves it next takes up what was left.
 */
export async function moveEntity(parts: Administration, move: EntityMove): Promise<StoredEntity> {
  let turns = 0;
  const moved = await inTurns('move an entity', () => {
    turns += 1;
    return step(parts, move, turns <= TURNS_AT_ONCE);
  });
  if (moved.moving) await settleBelow(parts, moved);
  return moved;
}

/** Moves the entity, and all below it if that can be done at once. Undefined where somebody came in between. */
async function step(parts: Administration, move: EntityMove, mayBeAtOnce: boolean): Promise<StoredEntity | undefined> {
  const entity = existing(move.id, (await readEntities(parts, [move.id]))[0]);
  const chain = await newChain(parts, entity, move);
  if (chain === undefined) return undefined;
  const place = newPlace(entity, chain, move);
  if (samePlace(entity, place)) return entity;
  const subtree = await subtreeOf(parts, entity);
  if (isTangled(entity, chain, subtree)) return undefined;
  checkDepth(chain, subtree.height);

  const nowMs = parts.nowMs();
  const own = ownWrites(parts, entity, chain, place, move.actor, nowMs);
  const atOnce = mayBeAtOnce && own.length + 1 + subtree.members.length <= MAX_TRANSACTION_WRITES;
  const placed = placedAt(entity, place, nowMs, !atOnce);
  const writes = atOnce ? wholeWrites(parts, entity, placed, subtree, nowMs) : [placeWrite(parts.namespaceId, placed, unmoved(entity))];
  const changed = [entity.id, ...(atOnce ? subtree.members.map(({ id }) => id) : [])];
  return (await writeEntities(parts, [...own, ...writes], changed)) === 'done' ? placed : undefined;
}

/** All that are to stand above the entity, nearest first. Undefined where somebody was moved during the search. */
async function newChain(parts: Administration, entity: StoredEntity, move: EntityMove): Promise<readonly StoredEntity[] | undefined> {
  const parentId = move.parent === undefined ? entity.parent : (move.parent ?? undefined);
  if (parentId === undefined) return [];
  const [parent] = await readEntities(parts, [parentId]);
  // The parent that it keeps can only be gone if the entity has left it meanwhile.
  if (move.parent === undefined && (parent === undefined || parent.deleted)) return undefined;
  return chainFrom(parts, existing(parentId, parent, entity.id));
}

function newPlace(entity: StoredEntity, chain: readonly StoredEntity[], { cascade }: EntityMove): Place {
  const [parent] = chain;
  if (parent === undefined) {
    if (cascade === true) throw cascadeToNobody();
    return placeBelow(undefined, false);
  }
  if (chain.some(({ id }) => id === entity.id)) {
    throw new ValidationError('option "parent"', `an entity that is neither "${entity.id}" nor below it`, parent.id);
  }
  return placeBelow(standing(chain), cascade ?? entity.cascade);
}

/** The parent's version is left out: it also grows when one above is moved, which changes what is compared, or nothing. */
function samePlace(entity: EntityRecord, place: Place): boolean {
  const told = ({ parent, cascade, ancestors, chargedCount }: Place) => JSON.stringify([parent, cascade, ancestors, chargedCount]);
  return told(entity) === told(place);
}

/** Whether somebody stands at two places of what was read, because of a move in between. */
function isTangled(entity: StoredEntity, chain: readonly StoredEntity[], { members }: Subtree): boolean {
  const below = new Set(members.map(({ id }) => id));
  return below.size < members.length || [entity, ...chain].some(({ id, parent }) => below.has(id) || below.has(parent ?? ''));
}

function checkDepth(chain: readonly StoredEntity[], height: number): void {
  if (chain.length + height <= MAX_DEPTH) return;
  const below = height === 0 ? '' : `, for there are ${height} levels below the entity`;
  throw new ValidationError(
    'option "parent"',
    `an entity with at most ${MAX_DEPTH - height - 1} ancestors of its own${below}`,
    chain[0]?.id,
  );
}

/** What a move writes beside the entities that it moves: the chain's conditions, counts, links and the event. */
function ownWrites(
  parts: Administration,
  entity: StoredEntity,
  chain: readonly StoredEntity[],
  place: Place,
  actor: string | undefined,
  nowMs: number,
): readonly ItemWrite[] {
  const { namespaceId } = parts;
  const [from, to] = [entity.parent, place.parent];
  const counts = new Map<string, number>();
  if (from !== to && from !== undefined) counts.set(from, -1);
  if (from !== to && to !== undefined) counts.set(to, 1);
  const above = new Map(chain.map((ancestor) => [ancestor.id, ancestor]));
  const event = { action: 'entity.move', entity: entity.id, actor, nowMs, before: entityInEvent(entity) } as const;
  return [
    ...[...counts].map(([id, change]) => countWrite(namespaceId, id, change, above.get(id))),
    ...chain.filter(({ id }) => !counts.has(id)).map((ancestor) => standsStill(namespaceId, ancestor)),
    ...(from === to || from === undefined ? [] : [{ kind: 'delete' as const, key: childKey(namespaceId, from, entity.id) }]),
    ...(from === to || to === undefined ? [] : [putLink(childKey(namespaceId, to, entity.id))]),
    ...eventWrites(parts, { ...event, after: entityInEvent({ ...entity, ...place }) }),
  ];
}

/** Moves the entity and all below it. A child that was created since it was read changes a count, and so meets the move. */
function wholeWrites(
  { namespaceId }: Administration,
  entity: StoredEntity,
  placed: StoredEntity,
  { members }: Subtree,
  nowMs: number,
): readonly ItemWrite[] {
  const all = new Map([[entity.id, placed]]);
  const still = (each: StoredEntity) => [...unmoved(each), ...sameChildren(each)];
  return [
    placeWrite(namespaceId, placed, still(entity)),
    ...members.map((member) => {
      const below = placedAt(member, placeBelow(all.get(member.parent ?? ''), member.cascade), nowMs, false);
      all.set(member.id, below);
      return placeWrite(namespaceId, below, still(member));
    }),
  ];
}
