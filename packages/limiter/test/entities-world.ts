import { type EntityRecord, entityFromItem, MAX_DEPTH, unescapeName } from '@millrace/core';
import type { Item, ItemTable } from '@millrace/limiter/admin';
import { MemoryTable } from '@millrace/testing';
import { Entities } from '../src/admin/entities.js';
import { wireItem } from '../src/admin/level-item.js';
import { type LimitsWorld, limitsWorld } from './limits-world.js';

/** Entities over a table in memory. */
export interface EntitiesWorld extends LimitsWorld {
  readonly entities: Entities;
  /** The entities as a process of its own sees them, through a table of its own. */
  through(items: ItemTable): Entities;
  /** Creates a chain of entities that cascade, the topmost first. */
  chain(...ids: readonly string[]): Promise<void>;
}

export function entitiesWorld(table = new MemoryTable(), namespaceId = 'ns1'): EntitiesWorld {
  const world = limitsWorld(table, namespaceId);
  const entities = new Entities(world.parts);
  return Object.assign(world, {
    entities,
    through: (items: ItemTable) => new Entities({ ...world.parts, items }),
    async chain(...ids: readonly string[]) {
      for (const [index, id] of ids.entries()) {
        const parent = ids[index - 1];
        await entities.create(id, parent === undefined ? {} : { parent, cascade: true });
      }
    },
  });
}

/** The entities that a table holds, those that were deleted included, by id. */
export function storedEntities(items: readonly Item[], namespaceId = 'ns1'): ReadonlyMap<string, EntityRecord> {
  const found = items.filter(({ PK, SK }) => String(PK).startsWith(`${namespaceId}/e/`) && SK === 'entity');
  return new Map(found.map((item) => entityFromItem(wireItem(item))).map((entity) => [entity.id, entity]));
}

/** Everything that is not as it must be with the entities of a table when nobody is changing them. */
export function faultsOf(items: readonly Item[], namespaceId = 'ns1'): readonly string[] {
  const all = storedEntities(items, namespaceId);
  const alive = [...all.values()].filter(({ deleted }) => !deleted);
  const faults = alive.flatMap((entity) => [...standingFaults(entity, all), ...childFaults(entity, alive, items, namespaceId)]);
  const listed = items.filter(({ PK }) => PK === `${namespaceId}/l/entities`).map(({ SK }) => unescapeName(String(SK)));
  if (JSON.stringify(listed.sort()) !== JSON.stringify(alive.map(({ id }) => id).sort())) faults.push(`the list has ${listed}`);
  const marked = items.filter(({ PK, moving }) => String(PK).startsWith(`${namespaceId}/`) && moving !== undefined);
  return [...faults, ...marked.map(({ PK }) => `${PK} is still moving`)];
}

function standingFaults(entity: EntityRecord, all: ReadonlyMap<string, EntityRecord>): string[] {
  const chain: EntityRecord[] = [];
  for (let at = entity; at.parent !== undefined; ) {
    const above = all.get(at.parent);
    if (above === undefined || above.deleted) return [`${at.id} stands below ${at.parent}, which is not there`];
    chain.push(above);
    if (chain.length > MAX_DEPTH) return [`${entity.id} stands too deep, or in a ring: ${chain.map(({ id }) => id)}`];
    at = above;
  }
  const charged = [entity, ...chain].findIndex(({ cascade }) => !cascade);
  const expected = { ancestors: chain.map(({ id }) => id), chargedCount: charged, parentVersion: chain[0]?.version };
  const { ancestors, chargedCount, parentVersion } = entity;
  const told = JSON.stringify({ ancestors, chargedCount, parentVersion });
  return told === JSON.stringify(expected) ? [] : [`${entity.id} has ${told}, not ${JSON.stringify(expected)}`];
}

function childFaults(entity: EntityRecord, alive: readonly EntityRecord[], items: readonly Item[], namespaceId: string): string[] {
  const partition = `${namespaceId}/e/${entity.id.replaceAll('%', '%25').replaceAll('/', '%2F')}`;
  const links = items
    .filter(({ PK, SK }) => PK === partition && String(SK).startsWith('child/'))
    .map(({ SK }) => unescapeName(String(SK).slice('child/'.length)));
  const children = alive.filter(({ parent }) => parent === entity.id).map(({ id }) => id);
  const told = JSON.stringify({ links: links.sort(), count: entity.childCount });
  const expected = JSON.stringify({ links: children.sort(), count: children.length });
  return told === expected ? [] : [`${entity.id} has ${told}, not ${expected}`];
}
