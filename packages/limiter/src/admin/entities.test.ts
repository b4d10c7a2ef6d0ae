import { AWKWARD_NAMES } from '@millrace/testing/contract';
import { describe, expect, it } from 'vitest';
import { entitiesWorld, faultsOf, storedEntities } from '../../test/entities-world.js';
import { START_MS } from '../../test/limits-world.js';

/** All ids of a listing, read in pages of a size, and the sizes that they had. */
async function allPages(
  read: (options: { pageSize: number; after?: string }) => Promise<{ ids: readonly string[]; next?: string }>,
  pageSize: number,
) {
  const [ids, sizes]: [string[], number[]] = [[], []];
  let after: string | undefined;
  do {
    const page = await read({ pageSize, ...(after === undefined ? {} : { after }) });
    ids.push(...page.ids);
    sizes.push(page.ids.length);
    expect('next' in page).toBe(page.next !== undefined);
    after = page.next;
  } while (after !== undefined);
  return { ids, sizes };
}

describe('creating an entity', () => {
  it('stores all that is said of it, and its parent counts it', async () => {
    const { entities, table } = entitiesWorld();
    await entities.create('org');
    await entities.create('project', { parent: 'org', cascade: true });

    await entities.create('key', { parent: 'project', cascade: true });

    const stored = storedEntities(table.items());
    expect(stored.get('key')).toEqual({
      id: 'key',
      parent: 'project',
      parentVersion: stored.get('project')?.version,
      cascade: true,
      ancestors: ['project', 'org'],
      chargedCount: 2,
      version: START_MS,
      createdAtMs: START_MS,
      childCount: 0,
      deleted: false,
    });
    expect(stored.get('project')?.childCount).toBe(1);
    expect(faultsOf(table.items())).toEqual([]);
  });

  it('is one transaction after one read, and one read more below a parent with ancestors', async () => {
    const world = entitiesWorld();
    await world.entities.create('org');
    expect([world.reads(), world.transactions.length]).toEqual([1, 1]);
    await world.entities.create('project', { parent: 'org' });
    expect([world.reads(), world.transactions.length]).toEqual([2, 2]);

    await world.entities.create('key', { parent: 'project' });

    expect([world.reads(), world.transactions.length]).toEqual([4, 3]);
  });

  it('leaves an event of who created what', async () => {
    const { entities, events } = entitiesWorld();
    await entities.create('org', { actor: 'ada' });
    await entities.create('key', { parent: 'org', cascade: true });

    const told = events().map(({ action, subject, actor, after }) => ({ action, subject, actor, after }));

    expect(told).toEqual([
      { action: 'entity.create', subject: 'entity/org', actor: 'ada', after: '{"cascade":false,"ancestors":[]}' },
      { action: 'entity.create', subject: 'entity/key', actor: undefined, after: '{"parent":"org","cascade":true,"ancestors":["org"]}' },
    ]);
  });

  it('tells the caches of the process, also when the answer was lost', async () => {
    const world = entitiesWorld();
    await world.entities.create('org');
    const lost = new Error('lost');
    const { get, query, deleteAll, scan, indexed } = world.parts.items;
    const transact = () => Promise.reject(lost);

    await expect(world.through({ get, query, deleteAll, scan, indexed, transact }).create('key')).rejects.toBe(lost);

    expect(world.told).toEqual([
      { level: 'lineage', entity: 'org' },
      { level: 'lineage', entity: 'key' },
    ]);
  });

  it('is refused where there is one, and leaves that as it is', async () => {
    const { entities, table } = entitiesWorld();
    await entities.create('org');
    await entities.create('key');
    const before = table.items();

    await expect(entities.create('key', { parent: 'org' })).rejects.toMatchObject({ code: 'ENTITY_EXISTS' });

    expect(table.items()).toEqual(before);
  });

  it('decides on what is there when it is stored, not on what it read', async () => {
    const world = entitiesWorld();
    await world.chain('old', 'project');
    await world.entities.create('young');
    world.before = async () => void (await world.entities.move('project', { parent: 'young' }));

    const key = await world.entities.create('key', { parent: 'project', cascade: true });

    expect(key.ancestors).toEqual(['project', 'young']);
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('is refused if the parent is deleted in between', async () => {
    const world = entitiesWorld();
    await world.entities.create('org');
    world.before = () => world.entities.delete('org');

    await expect(world.entities.create('key', { parent: 'org' })).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });

    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('again, after a deletion, makes a version that goes on growing, though the clock went back', async () => {
    const world = entitiesWorld();
    await world.chain('org', 'key');
    await world.entities.delete('key');
    const { version } = storedEntities(world.table.items()).get('key') ?? { version: 0 };
    world.nowMs -= 5_000;

    await world.entities.create('key');

    const again = storedEntities(world.table.items()).get('key');
    expect(again).toMatchObject({ deleted: false, ancestors: [], childCount: 0, version: version + 1 });
    expect(world.item('ns1/e/key', 'entity')).not.toHaveProperty('ttl');
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('of a ninth level is refused, and of the eighth is not', async () => {
    const { entities, chain, table } = entitiesWorld();
    await chain('0', '1', '2', '3', '4', '5', '6', '7', '8');

    await expect(entities.create('9', { parent: '8' })).rejects.toMatchObject({ code: 'VALIDATION', value: '8' });

    expect((await entities.get('8'))?.ancestors).toEqual(['7', '6', '5', '4', '3', '2', '1', '0']);
    expect(faultsOf(table.items())).toEqual([]);
  });

  it('of many at once below one parent counts them all', async () => {
    const { entities, table } = entitiesWorld();
    await entities.create('org');
    const ids = Array.from({ length: 8 }, (_, index) => `key-${index}`);

    await Promise.all(ids.map((id) => entities.create(id, { parent: 'org' })));

    expect((await entities.children('org')).ids).toEqual(ids);
    expect(faultsOf(table.items())).toEqual([]);
  });
});

describe('listing entities', () => {
  const bytes = (name: string) => Buffer.from(name.replaceAll('%', '%25').replaceAll('/', '%2F'), 'utf8');
  const sorted = [...AWKWARD_NAMES].sort((a, b) => Buffer.compare(bytes(a), bytes(b)));

  it('gives each once, in the order of the bytes of their escaped names, whatever the size of a page', async () => {
    const { entities } = entitiesWorld();
    for (const name of AWKWARD_NAMES) await entities.create(name);

    for (const pageSize of [1, 7, AWKWARD_NAMES.length, 1_000]) {
      expect((await allPages((options) => entities.list(options), pageSize)).ids).toEqual(sorted);
    }
  });

  it('leaves out what was deleted, and takes up what was created again', async () => {
    const { entities } = entitiesWorld();
    for (const id of ['a', 'b', 'c']) await entities.create(id);
    await entities.delete('b');
    expect((await entities.list()).ids).toEqual(['a', 'c']);

    await entities.create('b');

    expect((await entities.list()).ids).toEqual(['a', 'b', 'c']);
  });

  it('gives children in that order, too, and no other entity', async () => {
    const { entities } = entitiesWorld();
    await entities.create('parent');
    for (const name of AWKWARD_NAMES) await entities.create(name, { parent: 'parent' });
    await entities.create('grandchild', { parent: 'a' });

    for (const pageSize of [1, 7, AWKWARD_NAMES.length, 1_000]) {
      expect((await allPages((options) => entities.children('parent', options), pageSize)).ids).toEqual(sorted);
    }
  });

  it.each([
    { pageSize: 1, sizes: [1, 1, 1, 1, 1, 1] },
    { pageSize: 2, sizes: [2, 2, 2] },
    { pageSize: 4, sizes: [4, 2] },
    { pageSize: 6, sizes: [6] },
    { pageSize: 7, sizes: [6] },
  ])('gives no next on the last page, also when it is full: six in pages of $pageSize', async ({ pageSize, sizes }) => {
    const { entities } = entitiesWorld();
    await entities.create('parent');
    for (const id of ['1', '2', '3', '4', '5', '6']) await entities.create(id, { parent: 'parent' });

    expect((await allPages((options) => entities.children('parent', options), pageSize)).sizes).toEqual(sizes);
  });

  it('goes on behind a child that was deleted meanwhile, without leaving out or repeating another', async () => {
    const { entities } = entitiesWorld();
    await entities.create('parent');
    for (const id of ['b', 'd', 'f', 'h']) await entities.create(id, { parent: 'parent' });
    const { ids, next = '' } = await entities.children('parent', { pageSize: 2 });
    await entities.delete('d');
    for (const id of ['a', 'e']) await entities.create(id, { parent: 'parent' });

    expect(ids).toEqual(['b', 'd']);
    expect(await entities.children('parent', { pageSize: 10, after: next })).toEqual({ ids: ['e', 'f', 'h'] });
    expect(await entities.children('parent', { after: 'z' })).toEqual({ ids: [] });
  });

  it('keeps parents apart whose names look alike', async () => {
    const { entities, table } = entitiesWorld();
    for (const [index, name] of AWKWARD_NAMES.entries()) {
      await entities.create(name);
      await entities.create(`only-${index}`, { parent: name });
    }

    for (const [index, name] of AWKWARD_NAMES.entries()) expect(await entities.children(name)).toEqual({ ids: [`only-${index}`] });
    expect(faultsOf(table.items())).toEqual([]);
  });

  it('of one namespace never shows another, though their ids and names collide', async () => {
    const { table, entities: first } = entitiesWorld();
    const spaces = [first, entitiesWorld(table, 'ns11').entities, entitiesWorld(table, 'ns1e').entities];
    const names = ['org', '1', 'e', '1/e/org', 'e/org'];
    for (const [index, entities] of spaces.entries()) {
      for (const name of names) {
        await entities.create(name);
        await entities.create(`child-${index}-of-${name}`, { parent: name });
      }
    }
    await first.delete('child-0-of-org');

    for (const [index, entities] of spaces.entries()) {
      for (const name of names) {
        const ids = index === 0 && name === 'org' ? [] : [`child-${index}-of-${name}`];
        expect(await entities.children(name)).toEqual({ ids });
      }
      expect((await entities.list()).ids).toHaveLength(index === 0 ? 9 : 10);
    }
  });
});
