import { describe, expect, it } from 'vitest';
import { type EntitiesWorld, entitiesWorld, faultsOf, storedEntities } from '../../test/entities-world.js';

/** More than one transaction holds. */
const MANY = 130;

/** An entity with two levels below it, of so many entities each below a few. */
async function crowd(world: EntitiesWorld, root: string, leaves = MANY): Promise<void> {
  await world.entities.create(root);
  for (const team of ['x', 'y', 'z']) await world.entities.create(`${root}-${team}`, { parent: root, cascade: true });
  for (let index = 0; index < leaves; index += 1) {
    await world.entities.create(`${root}-${index}`, { parent: `${root}-${'xyz'[index % 3]}`, cascade: index % 2 === 0 });
  }
}

const versions = (world: EntitiesWorld) => new Map([...storedEntities(world.table.items())].map(([id, { version }]) => [id, version]));

describe('moving an entity', () => {
  it('puts it below another parent, with all that stands below it, in one transaction', async () => {
    const world = entitiesWorld();
    await world.chain('old', 'project', 'key', 'session');
    await world.chain('company', 'young');
    const [before, sent] = [versions(world), world.transactions.length];

    const moved = await world.entities.move('project', { parent: 'young' });

    expect(moved).toMatchObject({ id: 'project', parent: 'young', cascade: true, ancestors: ['young', 'company'] });
    const stored = storedEntities(world.table.items());
    expect(stored.get('key')).toMatchObject({ ancestors: ['project', 'young', 'company'], chargedCount: 3 });
    expect(stored.get('session')).toMatchObject({ ancestors: ['key', 'project', 'young', 'company'], chargedCount: 4 });
    for (const id of ['project', 'key', 'session']) expect(stored.get(id)?.version).toBeGreaterThan(before.get(id) ?? 0);
    expect(world.transactions).toHaveLength(sent + 1);
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('with more below it than a transaction holds brings all of them along', async () => {
    const world = entitiesWorld();
    await crowd(world, 'a');
    await world.chain('company', 'department');
    const before = versions(world);

    await world.entities.move('a', { parent: 'department', cascade: true });

    const stored = storedEntities(world.table.items());
    expect(stored.get('a-0')).toMatchObject({ ancestors: ['a-x', 'a', 'department', 'company'], chargedCount: 4 });
    expect(stored.get('a-1')).toMatchObject({ ancestors: ['a-y', 'a', 'department', 'company'], chargedCount: 0 });
    for (const [id, { version }] of stored) {
      if (id.startsWith('a')) expect(version).toBeGreaterThan(before.get(id) ?? 0);
    }
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('to no parent makes it stand alone, and it cascades to nobody', async () => {
    const world = entitiesWorld();
    await world.chain('org', 'project', 'key');

    const moved = await world.entities.move('project', { parent: null });

    expect(moved).toEqual({ id: 'project', cascade: false, ancestors: [], createdAt: moved.createdAt });
    expect(storedEntities(world.table.items()).get('key')).toMatchObject({ ancestors: ['project'], chargedCount: 1 });
    expect(storedEntities(world.table.items()).get('project')).not.toHaveProperty('parentVersion');
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('can change the cascade alone, which changes what those below are charged for', async () => {
    const world = entitiesWorld();
    await world.chain('org', 'project', 'key');

    await world.entities.move('project', { cascade: false });
    expect(storedEntities(world.table.items()).get('key')).toMatchObject({ ancestors: ['project', 'org'], chargedCount: 1 });

    await world.entities.move('project', { cascade: true });
    expect(storedEntities(world.table.items()).get('key')).toMatchObject({ chargedCount: 2 });
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('works up and down in its own family', async () => {
    const world = entitiesWorld();
    await world.chain('org', 'project', 'key', 'session');
    await world.entities.create('sibling', { parent: 'org' });

    await world.entities.move('session', { parent: 'project' });
    await world.entities.move('session', { parent: 'org' });
    await world.entities.move('project', { parent: 'sibling' });
    await world.entities.move('session', { parent: 'key' });

    expect((await world.entities.get('session'))?.ancestors).toEqual(['key', 'project', 'sibling', 'org']);
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('to where it stands writes nothing', async () => {
    const world = entitiesWorld();
    await world.chain('org', 'project', 'key');
    const before = world.table.items();

    const same = [
      await world.entities.move('project', { parent: 'org' }),
      await world.entities.move('project', { cascade: true }),
      await world.entities.move('project', { parent: 'org', cascade: true }),
    ];

    for (const entity of same) expect(entity).toEqual(await world.entities.get('project'));
    expect(world.table.items()).toEqual(before);
  });

  it('leaves one event, and tells the caches of all whose lineage changed', async () => {
    for (const leaves of [2, MANY]) {
      const world = entitiesWorld();
      await crowd(world, 'a', leaves);
      await world.entities.create('org');
      const before = world.events().length;
      world.told.length = 0;

      await world.entities.move('a', { parent: 'org', actor: 'ada' });

      const told = world.events().slice(before);
      expect(told).toHaveLength(1);
      expect(told[0]).toMatchObject({
        action: 'entity.move',
        subject: 'entity/a',
        actor: 'ada',
        before: '{"cascade":false,"ancestors":[]}',
        after: '{"parent":"org","cascade":false,"ancestors":["org"]}',
      });
      const changed = new Set(world.told.map((ref) => 'entity' in ref && ref.level === 'lineage' && ref.entity));
      expect(changed.size).toBe(1 + 3 + leaves);
    }
  });
});

describe('a move that is refused', () => {
  it.each([
    { title: 'of nobody', id: 'nobody', options: { parent: 'org' }, error: { code: 'ENTITY_NOT_FOUND' }, says: '"nobody"' },
    { title: 'below nobody', id: 'key', options: { parent: 'nobody' }, error: { code: 'ENTITY_NOT_FOUND' }, says: '"nobody"' },
    { title: 'below itself', id: 'org', options: { parent: 'org' }, error: { code: 'VALIDATION', value: 'org' }, says: 'nor below it' },
    { title: 'below its grandchild', id: 'org', options: { parent: 'key' }, error: { code: 'VALIDATION', value: 'key' }, says: '"org"' },
    { title: 'to nowhere', id: 'key', options: {}, error: { code: 'VALIDATION' }, says: '"parent" or "cascade"' },
    { title: 'of a key that nobody reads', id: 'key', options: { parrent: 'org' }, error: { code: 'VALIDATION' }, says: '"parrent"' },
    { title: 'below a number', id: 'key', options: { parent: 5 }, error: { code: 'VALIDATION', value: 5 }, says: 'parent' },
    { title: 'with a cascade of yes', id: 'key', options: { cascade: 'yes' }, error: { code: 'VALIDATION' }, says: 'true or false' },
    {
      title: 'without a parent, to cascade',
      id: 'key',
      options: { parent: null, cascade: true },
      error: { code: 'VALIDATION' },
      says: 'without a parent',
    },
    {
      title: 'of one without a parent, to cascade',
      id: 'org',
      options: { cascade: true },
      error: { code: 'VALIDATION' },
      says: 'without a parent',
    },
  ])('$title: changes nothing', async ({ id, options, error, says }) => {
    const world = entitiesWorld();
    await world.chain('org', 'project', 'key');
    const before = world.table.items();

    const refusal = world.entities.move(id, options as never);

    await expect(refusal).rejects.toMatchObject({ ...error, message: expect.stringContaining(says) });
    expect(world.table.items()).toEqual(before);
  });

  it('because something below it would have nine ancestors changes nothing; with eight it is done', async () => {
    const world = entitiesWorld();
    await world.chain('0', '1', '2', '3', '4', '5', '6');
    await world.chain('a', 'b', 'c');
    await world.entities.create('side', { parent: 'a' });
    const before = world.table.items();

    const refusal = world.entities.move('a', { parent: '6' });

    await expect(refusal).rejects.toMatchObject({ code: 'VALIDATION', value: '6', message: expect.stringContaining('2 levels below') });
    expect(world.table.items()).toEqual(before);
    await world.entities.move('a', { parent: '5' });
    expect((await world.entities.get('c'))?.ancestors).toHaveLength(8);
    expect(faultsOf(world.table.items())).toEqual([]);
  });
});
