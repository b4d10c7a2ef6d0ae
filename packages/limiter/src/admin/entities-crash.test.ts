import { CrashingTable, type CrashPoint, MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { type EntitiesWorld, entitiesWorld, faultsOf, storedEntities } from '../../test/entities-world.js';
import { isLeftBehind, itemTexts, PlantedTree, plantOutsiders } from '../../test/planted-tree.js';

interface Forest extends EntitiesWorld {
  /** All that was there before what is deleted was planted. */
  readonly standing: ReadonlyMap<string, string>;
}

/** A tree to delete, among what nobody deletes. */
async function forest(plant: (tree: PlantedTree) => Promise<void>): Promise<Forest> {
  const world = entitiesWorld(new MemoryTable());
  const tree = new PlantedTree(world.parts);
  await plantOutsiders(tree, new PlantedTree(entitiesWorld(world.table, 'ns2').parts));
  const standing = itemTexts(world.table.items());
  await plant(tree);
  return Object.assign(world, { standing });
}

/** Nothing is left of the tree but tombstones and events, and all that was there before is as it was. */
function expectFelled(world: Forest): void {
  const items = world.table.items();
  const after = itemTexts(items);
  expect([...world.standing].filter(([key, text]) => after.get(key) !== text)).toEqual([]);
  expect(items.filter((item) => !world.standing.has(`${item['PK']}\n${item['SK']}`) && !isLeftBehind(item))).toEqual([]);
  expect(faultsOf(items)).toEqual([]);
}

async function small(tree: PlantedTree): Promise<void> {
  await tree.plant('org', 'company', { limitsOn: ['gpt', 'a/b'], isDisabled: true, buckets: { gpt: 3, 'a/b': 1 }, manifest: 'm' });
  await tree.plant('project-0', 'org', { hasDefault: true, buckets: { gpt: 2 } });
  await tree.plant('key-0-0', 'project-0', { limitsOn: ['gpt'], buckets: { gpt: 1 } });
  await tree.plant('key-0-1', 'project-0');
}

/** Deletes through a process that dies at a point. Whether it did. */
async function deleteAndDie(world: EntitiesWorld, id: string, point?: CrashPoint): Promise<{ crashed: boolean; requests: number }> {
  const crashing = new CrashingTable(world.table, point);
  const end = await world
    .through(crashing)
    .delete(id, { children: true })
    .catch((error: Error) => error);
  if (end instanceof Error && end.name !== 'Crash') expect(end).toMatchObject({ code: 'ENTITY_NOT_FOUND' });
  return { crashed: crashing.crashed, requests: crashing.requests };
}

describe('a deletion that dies', () => {
  it('at any request, before or after it was carried out, is finished by a second one', async () => {
    const { requests } = await deleteAndDie(await forest(small), 'org');
    expect(requests).toBeGreaterThan(25);

    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at <= requests; at += 1) {
        const world = await forest(small);
        expect((await deleteAndDie(world, 'org', { at, when })).crashed).toBe(true);

        await deleteAndDie(world, 'org');

        expectFelled(world);
      }
    }
  });

  it('is, where the entity was never created, finished by a second one', async () => {
    const plant = (tree: PlantedTree) =>
      tree.furnish('org', { limitsOn: ['gpt'], hasDefault: true, isDisabled: true, buckets: { gpt: 3 } });
    const { requests } = await deleteAndDie(await forest(plant), 'org');

    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at <= requests; at += 1) {
        const world = await forest(plant);
        await deleteAndDie(world, 'org', { at, when });

        await deleteAndDie(world, 'org');

        expectFelled(world);
      }
    }
  });

  it('of 100 entities with 50 children each ends, though its n-th run dies at its n-th request', async () => {
    const world = await forest(async (tree) => {
      await tree.plant('org', 'company', { hasDefault: true });
      for (let parent = 0; parent < 100; parent += 1) {
        await tree.plant(`project-${parent}`, 'org', { limitsOn: ['gpt'], buckets: { gpt: 1 + (parent % 3) } });
        for (let child = 0; child < 50; child += 1) {
          const belongings = child % 5 === 0 ? { limitsOn: ['gpt'], manifest: 'm' } : {};
          await tree.plant(`key-${parent}-${child}`, `project-${parent}`, { ...belongings, buckets: { gpt: 1 } });
        }
      }
    });

    let runs = 0;
    for (let crashed = true; crashed; ) {
      runs += 1;
      ({ crashed } = await deleteAndDie(world, 'org', { at: runs, when: runs % 2 === 0 ? 'before' : 'after' }));
    }

    expect(runs).toBeGreaterThan(100);
    expect([...storedEntities(world.table.items()).values()].filter(({ deleted }) => deleted)).toHaveLength(1 + 100 + 100 * 50);
    expectFelled(world);
  });
});

describe('a move that dies', () => {
  async function crowded(): Promise<EntitiesWorld> {
    const world = entitiesWorld(new MemoryTable());
    await world.chain('org', 'project', 'team');
    for (let index = 0; index < 150; index += 1) {
      await world.entities.create(`key-${index}`, { parent: index % 3 === 0 ? 'project' : 'team', cascade: true });
    }
    await world.entities.create('session', { parent: 'key-7', cascade: true });
    await world.chain('company', 'young');
    await world.entities.create('younger');
    return world;
  }
  const move = { parent: 'young', cascade: true };

  async function dying(point: CrashPoint | undefined): Promise<{ world: EntitiesWorld; requests: number }> {
    const world = await crowded();
    const crashing = new CrashingTable(world.table, point);
    await world
      .through(crashing)
      .move('org', move)
      .catch((error: Error) => expect(error.name).toBe('Crash'));
    return { world, requests: crashing.requests };
  }

  const LATER: readonly (readonly [string, (world: EntitiesWorld) => Promise<unknown>])[] = [
    ['the same move', ({ entities }) => entities.move('org', move)],
    ['a move to elsewhere', ({ entities }) => entities.move('org', { parent: 'younger' })],
    [
      'a move of one above its new place',
      ({ entities }) => entities.move('company', { parent: 'younger' }).then(() => entities.move('org', move)),
    ],
    ['its deletion', ({ entities }) => entities.delete('org', { children: true })],
  ];

  it.each(LATER)('at any request, before or after it was carried out, is finished by %s', async (_title, later) => {
    const { requests } = await dying(undefined);
    expect(requests).toBeGreaterThan(8);

    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at <= requests; at += 1) {
        const { world } = await dying({ at, when });
        // Somebody goes on creating below it meanwhile.
        await world.entities.create('late', { parent: 'session', cascade: true });

        await later(world);

        expect(faultsOf(world.table.items())).toEqual([]);
      }
    }
  });

  it('keeps nobody from creating below those that have not followed: the child has its true ancestors', async () => {
    const { requests } = await dying(undefined);
    const { world } = await dying({ at: requests - 3, when: 'before' });

    const late = await world.entities.create('late', { parent: 'session', cascade: true });
    const moved = await world.entities.move('key-0', { parent: 'session', cascade: true });

    expect(late.ancestors).toEqual(['session', 'key-7', 'team', 'project', 'org', 'young', 'company']);
    expect(moved.ancestors).toEqual(late.ancestors);
    expect(storedEntities(world.table.items()).get('late')?.chargedCount).toBe(7);
    await world.entities.create('later', { parent: 'late' });
    await expect(world.entities.create('latest', { parent: 'later' })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('leaves those that have not followed charged as before, and a mark on the entity', async () => {
    const { requests } = await dying(undefined);

    const { world } = await dying({ at: requests - 3, when: 'before' });

    const stored = storedEntities(world.table.items());
    expect(stored.get('org')?.ancestors).toEqual(['young', 'company']);
    expect(world.item('ns1/e/org', 'entity')).toMatchObject({ moving: true });
    expect(stored.get('session')?.ancestors).toEqual(['key-7', 'team', 'project', 'org']);
  });
});
