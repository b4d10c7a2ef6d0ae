import { SCHEMA_KEY, SCHEMA_VERSION } from '@millrace/core';
import { Crash, CrashingTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { interrupted, type RegistryWorld, registryWorld, START_MS } from '../../test/registry-world.js';
import type { ItemTable } from './item-table.js';
import { MIGRATIONS, type Migration, type MigrationProgress, migrateSchema } from './migrations.js';
import { isReadable, readSchema } from './schema-record.js';

/** Two later steps: one marks some items, each for itself, and one marks them again. */
const LATER: readonly Migration[] = [
  ...MIGRATIONS,
  { does: 'marks items', run: marking('two') },
  { does: 'marks them again', run: marking('three') },
];

function marking(mark: string): Migration['run'] {
  return async (items: ItemTable) => {
    for (const sort of ['a', 'b', 'c']) {
      await items.transact([{ kind: 'update', key: { partition: 'ns1/x', sort }, set: { [mark]: true } }]);
    }
  };
}

function migrating(world: RegistryWorld, migrations = MIGRATIONS, items: ItemTable = world.table) {
  const told: MigrationProgress[] = [];
  const parts = { ...world.parts, items, table: 'millrace', actor: 'ada' };
  return { told, result: migrateSchema(parts, (progress) => told.push(progress), migrations) };
}

const marked = (world: RegistryWorld) =>
  world.table
    .items()
    .filter((item) => item['PK'] === 'ns1/x')
    .map(({ SK, two, three }) => [SK, two, three]);

describe('migrating a table', () => {
  it('there are as many steps as versions', () => {
    expect(MIGRATIONS).toHaveLength(SCHEMA_VERSION);
  });

  it('without a record begins at 0, and the first step changes nothing but the record', async () => {
    const world = registryWorld();
    const { id } = await world.namespaces.register('acme');
    world.furnish(id, ['key-1']);
    // A table of before its first namespace brought the record.
    await world.table.deleteAll([SCHEMA_KEY]);
    const before = world.others('_/schema', '_/a');

    const { told, result } = migrating(world);

    expect(await result).toEqual({ from: 0, to: 1 });
    expect(told).toEqual([{ from: 0, to: 1, does: 'records the version of the schema' }]);
    expect(await readSchema(world.table)).toEqual({ version: 1, recordedAt: new Date(START_MS), recordedBy: 'ada' });
    expect(world.others('_/schema', '_/a')).toBe(before);
    const { events } = await world.audit.list({ subject: 'schema' });
    expect(events[0]).toMatchObject({ action: 'schema.migrate', actor: 'ada', before: { version: 0 }, after: { version: 1 } });
  });

  it('that is up to date writes nothing', async () => {
    const world = registryWorld();
    await migrating(world).result;
    const before = world.others();

    const { told, result } = migrating(world);

    expect(await result).toEqual({ from: 1, to: 1 });
    expect(told).toEqual([]);
    expect(world.others()).toBe(before);
  });

  it('goes through the steps in order, and marks namespaces so that services that are too old refuse them', async () => {
    const world = registryWorld();
    await world.namespaces.register('acme');
    await migrating(world).result;

    const { told, result } = migrating(world, LATER);

    expect(await result).toEqual({ from: 1, to: 3 });
    expect(told.map(({ to, does }) => `${to} ${does}`)).toEqual(['2 marks items', '3 marks them again']);
    expect(marked(world)).toEqual([
      ['a', true, true],
      ['b', true, true],
      ['c', true, true],
    ]);
    await expect(world.namespaces.describe('acme')).rejects.toMatchObject({
      code: 'SCHEMA_VERSION',
      message: expect.stringContaining('update this service'),
    });
  });

  it.each(['before', 'after'] as const)(
    'that dies %s any request is gone on with, and no step is recorded that was not done',
    async (when) => {
      const start = async () => {
        const world = registryWorld();
        await world.namespaces.register('acme');
        await migrating(world).result;
        return world;
      };
      const counting = new CrashingTable((await start()).table);
      await migrating(await start(), LATER, counting).result;
      expect(counting.requests).toBeGreaterThan(10);

      for (let at = 1; at <= counting.requests; at += 1) {
        const world = await start();
        const { result } = migrating(world, LATER, new CrashingTable(world.table, { at, when }));
        await expect(result).rejects.toBeInstanceOf(Crash);
        const version = (await readSchema(world.table))?.version ?? 0;
        if (version >= 2) expect(marked(world)).toHaveLength(3);
        if (version >= 3) expect(marked(world).every(([, , three]) => three)).toBe(true);

        expect(await migrating(world, LATER).result).toEqual({ from: version, to: 3 });

        expect(marked(world).map(([sort]) => sort)).toEqual(['a', 'b', 'c']);
        const { events } = await world.audit.list({ subject: 'schema' });
        expect(events.map(({ after }) => after)).toEqual([{ version: 3 }, { version: 2 }, { version: 1 }]);
      }
    },
  );

  it('by two at once does the same, and records each step once', async () => {
    const world = registryWorld();

    await Promise.all([migrating(world, LATER).result, migrating(world, LATER).result]);

    const { events } = await world.audit.list({ subject: 'schema' });
    expect(events.map(({ after }) => after)).toEqual([{ version: 3 }, { version: 2 }, { version: 1 }]);
  });

  it('does not bring back a namespace that is purged meanwhile', async () => {
    const world = registryWorld();
    await world.namespaces.register('acme');
    await world.namespaces.delete('acme');
    await migrating(world).result;
    const items = interrupted(world.table, 'transact', () => world.namespaces.purge('acme'));

    await migrating(world, [...MIGRATIONS, { does: 'nothing', run: async () => undefined }], items).result;

    expect(await world.namespaces.describe('acme')).toBeUndefined();
  });

  it('that is newer than this release is refused, says what to do, and stays as it is', async () => {
    const world = registryWorld();
    world.table.put({ PK: SCHEMA_KEY.partition, SK: SCHEMA_KEY.sort, v: 3, at: START_MS });
    const before = world.others();

    await expect(migrating(world).result).rejects.toMatchObject({
      code: 'SCHEMA_VERSION',
      message: 'table "millrace" has schema version 3, and this release knows 1; update Millrace to a release that knows 3',
    });
    expect(world.others()).toBe(before);
  });

  it('reads its own schema and the neighbours', () => {
    expect([-1, 0, 1, 2].map((distance) => isReadable(SCHEMA_VERSION + distance))).toEqual([true, true, true, false]);
  });
});
