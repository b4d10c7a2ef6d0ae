import { ATTRIBUTE } from '@millrace/core';
import { type Administration, type Item, type ItemTable, levelName, levelNamed, managedLevels } from '@millrace/limiter/admin';
import { type Manifest, type Plan, plan, readLive } from '@millrace/limits';
import type { MemoryTable } from '@millrace/testing';
import { type LimitsWorld, limitsWorld } from '../../limiter/test/limits-world.js';

export { limitsWorld, START_MS } from '../../limiter/test/limits-world.js';

/** What one administers with, through another table that leads to the same. */
export function through(world: LimitsWorld, items: ItemTable): Administration {
  return { ...world.parts, items };
}

/** A world whose table holds the same, and goes its own way from here. */
export function copyOf(world: LimitsWorld): LimitsWorld {
  const copy = limitsWorld();
  copy.nowMs = world.nowMs;
  for (const item of world.table.items()) copy.table.put(item);
  return copy;
}

export async function planOf(world: LimitsWorld, manifest: Manifest): Promise<Plan> {
  return plan(manifest, await readLive(world.parts, manifest));
}

/** The changes of a plan that are any, as text. */
export function told({ changes }: Plan): readonly string[] {
  return changes.filter(({ action }) => action !== 'unchanged').map(({ action, target }) => `${action} ${target}`);
}

/** Items that hold a level, whatever of it, by the name of the level. */
function levelItems(table: MemoryTable): ReadonlyMap<string, Item> {
  const named = table.items().flatMap((item): [string, Item][] => {
    const parts = `${item['PK']}/${item['SK']}`.split('/').slice(1);
    const name =
      parts[0] === 's'
        ? 'system'
        : parts[0] === 'r'
          ? `resource/${parts[1]}`
          : parts[0] === 'e'
            ? ['entity', parts[1], ...parts.slice(3)].join('/')
            : '';
    return parts.includes('limits') && levelNamed(name) !== undefined ? [[name, item]] : [];
  });
  return new Map(named);
}

/** The items of levels that have limits, by the name of the level. */
export function liveLevels(world: LimitsWorld): ReadonlyMap<string, Item> {
  return new Map([...levelItems(world.table)].filter(([, item]) => item[ATTRIBUTE.limits] !== undefined));
}

/** The names of the levels whose limits carry the mark of a manifest. */
export function marked(world: LimitsWorld, manifest: string): readonly string[] {
  return [...liveLevels(world)].filter(([, item]) => item[ATTRIBUTE.managedBy] === manifest).map(([name]) => name);
}

/** What the lists of the table say, in the same words. */
export async function listed(world: LimitsWorld, manifest: string): Promise<{ readonly all: string[]; readonly managed: string[] }> {
  const all: string[] = [];
  const { names } = await world.limits.listResources({ pageSize: 1_000 });
  for (const resource of names) all.push(levelName({ level: 'resource', resource }));
  for (const resource of resourcesOf(world)) {
    const entities = await world.limits.listEntities(resource, { pageSize: 1_000 });
    for (const entity of entities.names) all.push(levelName({ level: 'entity', entity, resource }));
  }
  const managed = await managedLevels(world.table, 'ns1', manifest);
  return { all: all.sort(), managed: managed.map(levelName).sort() };
}

function resourcesOf(world: LimitsWorld): ReadonlySet<string> {
  const levels = [...levelItems(world.table).keys()].map(levelNamed);
  return new Set(levels.flatMap((level) => (level?.level === 'entity' ? [level.resource] : [])));
}
