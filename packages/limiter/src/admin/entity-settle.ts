import { ATTRIBUTE, entityKey, placeBelow } from '@millrace/core';
import { type Administration, inTurns } from './administration.js';
import { placedAt, placeWrite, readEntities, type StoredEntity, sameChildren, standsStill, unmoved, writeEntities } from './entity-item.js';
import { children } from './entity-tree.js';
import { type ItemWrite, MAX_TRANSACTION_WRITES } from './item-table.js';

/**
 * Gives all that stands below an entity that was moved the ancestors that it has now, level by level, and then takes the
 * entity's mark away.
 *
 * A child is right if it names the version that its parent has. Every write of children holds only as long as the
 * parent has the version that they are given, and an entity's children are listed only after its own version has grown:
 * so one that is created meanwhile either names the new version or is found. Whoever makes the version of an entity
 * grow is from then on the one who sees to what is below it; this leaves alone what somebody else has changed since.
 */
export async function settleBelow(parts: Administration, root: StoredEntity): Promise<void> {
  let level: readonly StoredEntity[] = [root];
  while (level.length > 0) {
    const parents = level;
    level = await inTurns('move what is below an entity', () => settleChildren(parts, parents));
  }
  const when = [...unmoved(root), { attribute: ATTRIBUTE.moving, equals: true }];
  // Refused where another has moved it again, whose mark it then is.
  await parts.items.transact([{ kind: 'update', key: entityKey(parts.namespaceId, root.id), remove: [ATTRIBUTE.moving], when }]);
}

/** Brings the children of entities to their places, and gives those that have children. Undefined if it has to be done again. */
async function settleChildren(parts: Administration, parents: readonly StoredEntity[]): Promise<readonly StoredEntity[] | undefined> {
  const current = await readEntities(
    parts,
    parents.map(({ id }) => id),
  );
  const held = parents.filter((parent, index) => current[index]?.version === parent.version && current[index]?.deleted === false);
  const batch = new Batch(parts);
  const next: StoredEntity[] = [];
  for (const parent of held) {
    for await (const page of children(parts, parent.id)) {
      const late = page.filter((child) => child.parentVersion !== parent.version);
      const placed = await batch.add(parent, late);
      next.push(...page.filter((child) => !late.includes(child)), ...placed);
    }
  }
  await batch.send();
  return batch.refused ? undefined : next.filter(({ childCount }) => childCount > 0);
}

/** Collects writes of children until a transaction is full. */
class Batch {
  readonly #parts: Administration;
  #writes: ItemWrite[] = [];
  #ids: string[] = [];
  #checked: string | undefined;
  /** Whether any of them was refused, because something was changed in between. */
  refused = false;

  constructor(parts: Administration) {
    this.#parts = parts;
  }

  /** Takes children of one parent up, and gives them as they will be. */
  async add(parent: StoredEntity, late: readonly StoredEntity[]): Promise<readonly StoredEntity[]> {
    const { namespaceId, nowMs } = this.#parts;
    const placed: StoredEntity[] = [];
    for (const child of late) {
      if (this.#writes.length + 2 > MAX_TRANSACTION_WRITES) await this.send();
      if (this.#checked !== parent.id) this.#writes.push(standsStill(namespaceId, parent));
      this.#checked = parent.id;
      const below = placedAt(child, placeBelow(parent, child.cascade), nowMs(), false);
      // Whoever has no children is not looked at again, so it must not get one in between.
      const when = child.childCount === 0 ? [...unmoved(child), ...sameChildren(child)] : unmoved(child);
      this.#writes.push(placeWrite(namespaceId, below, when));
      this.#ids.push(child.id);
      placed.push(below);
    }
    return placed;
  }

  async send(): Promise<void> {
    const [writes, ids] = [this.#writes, this.#ids];
    [this.#writes, this.#ids, this.#checked] = [[], [], undefined];
    if (writes.length > 0 && (await writeEntities(this.#parts, writes, ids)) === 'conflict') this.refused = true;
  }
}
