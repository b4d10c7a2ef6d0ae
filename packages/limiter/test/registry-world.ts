import { bucketKey, configKey, entityKey, listKey } from '@millrace/core';
import { type Administration, AuditLog, type Item, type ItemTable, Namespaces } from '@millrace/limiter/admin';
import { MemoryTable } from '@millrace/testing';
import { eventIds } from '../src/admin/audit-log.js';

export const START_MS = 1_800_000_000_000;

/** The registry of a table in memory, with a clock that moves when a test says so. */
export interface RegistryWorld {
  readonly table: MemoryTable;
  readonly namespaces: Namespaces;
  readonly audit: AuditLog;
  readonly parts: Administration;
  /** What the caches were told, in order. */
  readonly told: unknown[];
  nowMs: number;
  /** The same registry through another process, or a table that fails. */
  through(items: ItemTable): Namespaces;
  /** Stores a few items of every kind in a namespace. */
  furnish(id: string, entities: readonly string[]): void;
  /** The item that closes a namespace. */
  system(id: string): Item | undefined;
  /** All items but those whose partition keys begin with one of these parts, as text that is the same if and only if they are. */
  others(...parts: readonly string[]): string;
}

export function registryWorld(namespaceId = '_'): RegistryWorld {
  const table = new MemoryTable();
  const told: unknown[] = [];
  const parts: Administration = {
    items: table,
    namespaceId,
    nowMs: () => world.nowMs,
    newEventId: eventIds(() => world.nowMs),
    actor: undefined,
    onChange: (refs) => told.push(...refs),
    run: (_operation, work) => work(),
  };
  const world: RegistryWorld = {
    table,
    namespaces: new Namespaces(parts),
    audit: new AuditLog(parts),
    parts,
    told,
    nowMs: START_MS,
    through: (items) => new Namespaces({ ...parts, items }),
    furnish: (id, entities) => furnish(table, id, entities),
    system: (id) => {
      const { partition, sort } = configKey(id, { level: 'system' });
      return table.items().find((item) => item['PK'] === partition && item['SK'] === sort);
    },
    others: (...prefixes) =>
      table
        .items()
        .filter((item) => !prefixes.some((prefix) => `${item['PK']}/`.startsWith(`${prefix}/`)))
        .map((item) => JSON.stringify(Object.entries(item).sort()))
        .sort()
        .join('\n'),
  };
  return world;
}

function furnish(table: MemoryTable, id: string, entities: readonly string[]): void {
  const keys = entities.flatMap((entity) => [
    entityKey(id, entity),
    configKey(id, { level: 'entity-default', entity }),
    configKey(id, { level: 'entity', entity, resource: 'api' }),
    listKey(id, { list: 'entities' }, entity),
    bucketKey({ namespaceId: id, entity, resource: 'api', shard: 0 }),
  ]);
  for (const { partition, sort } of keys) table.put({ PK: partition, SK: sort, v: 1, ver: 1, of: id });
}

/** A table on which something happens once, right before the first request of a kind. */
export function interrupted(table: ItemTable, operation: 'transact' | 'deleteAll', happens: () => Promise<unknown>): ItemTable {
  let left: (() => Promise<unknown>) | undefined = happens;
  const first = async (asked: string): Promise<void> => {
    if (asked !== operation || left === undefined) return;
    const now = left;
    left = undefined;
    await now();
  };
  return {
    get: (keys) => table.get(keys),
    query: (query) => table.query(query),
    transact: (writes) => first('transact').then(() => table.transact(writes)),
    deleteAll: (keys) => first('deleteAll').then(() => table.deleteAll(keys)),
    scan: (...place) => table.scan(...place),
    indexed: (...place) => table.indexed(...place),
  };
}
