import type { ItemTable } from '@millrace/limiter/admin';
import { CrashingTable, MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { entitiesWorld, faultsOf } from '../../test/entities-world.js';
import { type Ends, inEveryOrder, inSomeOrders, interrupted, type Meeting } from '../../test/interleaving.js';
import type { Entities } from './entities.js';

type Change = (entities: Entities) => Promise<unknown>;

/** Two processes that change the same table at once. */
function meeting(build: (entities: Entities) => Promise<unknown>, ...changes: readonly Change[]): () => Promise<Meeting> {
  return async () => {
    const world = entitiesWorld(new MemoryTable());
    await build(world.entities);
    const programs = changes.map((change) => (items: ItemTable) => change(world.through(items)));
    return { table: world.table, programs };
  };
}

/** Every change has ended as it must, and nothing is wrong with the entities. */
function sound(codes: readonly (string | undefined)[] = []) {
  return ({ results }: Ends, { table }: Meeting): void => {
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      expect(codes, String(result.reason)).toContain((result.reason as { code?: string }).code);
    }
    expect(faultsOf((table as MemoryTable).items())).toEqual([]);
  };
}

async function lines(entities: Entities, ...chains: readonly (readonly string[])[]): Promise<void> {
  for (const chain of chains) {
    for (const [index, id] of chain.entries()) {
      const parent = chain[index - 1];
      await entities.create(id, parent === undefined ? {} : { parent, cascade: true });
    }
  }
}

describe('in every order of their requests', () => {
  it('two moves that would make a ring together never make one: one of them is refused', async () => {
    const build = (entities: Entities) => lines(entities, ['a', 'a1'], ['b', 'b1']);
    const check = sound(['VALIDATION']);

    const orders = await inEveryOrder(
      meeting(
        build,
        (entities) => entities.move('a', { parent: 'b1' }),
        (entities) => entities.move('b', { parent: 'a1' }),
      ),
      (ends, { table, programs }) => {
        expect(ends.results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        check(ends, { table, programs });
      },
    );

    expect(orders).toBeGreaterThan(200);
  });

  it('two moves of the same entity leave it below one of the two', async () => {
    const build = (entities: Entities) => lines(entities, ['a'], ['b'], ['old', 'key', 'session']);

    const orders = await inEveryOrder(
      meeting(
        build,
        (entities) => entities.move('key', { parent: 'a' }),
        (entities) => entities.move('key', { parent: 'b' }),
      ),
      sound(),
    );

    expect(orders).toBeGreaterThan(200);
  });

  it('a move and one above it leave all with their true ancestors', async () => {
    const build = (entities: Entities) => lines(entities, ['old', 'project', 'key'], ['young']);

    await inEveryOrder(
      meeting(
        build,
        (entities) => entities.move('project', { parent: 'young' }),
        (entities) => entities.move('key', { cascade: false }),
      ),
      sound(),
    );
  });

  it('a move and a creation below it leave the child with its true ancestors', async () => {
    const build = (entities: Entities) => lines(entities, ['old', 'project', 'key'], ['young']);

    const orders = await inEveryOrder(
      meeting(
        build,
        (entities) => entities.move('project', { parent: 'young' }),
        (entities) => entities.create('session', { parent: 'key', cascade: true }),
      ),
      sound(),
    );

    expect(orders).toBeGreaterThan(20);
  });

  it('a move and a deletion of its new parent: one of them is refused', async () => {
    const build = (entities: Entities) => lines(entities, ['old', 'key'], ['young']);
    const check = sound(['ENTITY_NOT_FOUND', 'ENTITY_HAS_CHILDREN']);

    await inEveryOrder(
      meeting(
        build,
        (entities) => entities.move('key', { parent: 'young' }),
        (entities) => entities.delete('young'),
      ),
      (ends, run) => {
        expect(ends.results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        check(ends, run);
      },
    );
  });

  it('a move out of what is being deleted saves the entity, or comes too late', async () => {
    const build = (entities: Entities) => lines(entities, ['old', 'key'], ['young']);
    const check = sound(['ENTITY_NOT_FOUND']);

    await inEveryOrder(
      meeting(
        build,
        (entities) => entities.move('key', { parent: 'young' }),
        (entities) => entities.delete('old', { children: true }),
      ),
      (ends, run) => {
        check(ends, run);
        const alive = (run.table as MemoryTable).items().some(({ PK, SK, deleted }) => PK === 'ns1/e/key' && SK === 'entity' && !deleted);
        expect(alive).toBe(ends.results[0]?.status === 'fulfilled');
      },
    );
  });

  it('a parent is deleted or gets a child, never both', async () => {
    const build = (entities: Entities) => lines(entities, ['org']);
    const check = sound(['ENTITY_NOT_FOUND', 'ENTITY_HAS_CHILDREN']);

    await inEveryOrder(
      meeting(
        build,
        (entities) => entities.create('key', { parent: 'org' }),
        (entities) => entities.delete('org'),
      ),
      (ends, run) => {
        expect(ends.results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        check(ends, run);
      },
    );
  });

  it('an entity is created by one of two, deleted by one of two', async () => {
    const twice = (change: Change) => meeting((entities) => lines(entities, ['org', 'key']), change, change);

    const check = (ends: Ends, run: Meeting): void => {
      expect(ends.results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      sound(['ENTITY_EXISTS', 'ENTITY_NOT_FOUND'])(ends, run);
    };
    await inEveryOrder(
      twice((entities) => entities.create('new', { parent: 'key' })),
      check,
    );
    await inEveryOrder(
      twice((entities) => entities.delete('key')),
      check,
    );
  });
});

describe('a move of more than one transaction holds', () => {
  const MANY = 95;
  /** Two levels below `top`, the lower one crowded. */
  async function crowd(entities: Entities): Promise<void> {
    await lines(entities, ['top', 'middle', 'low'], ['young'], ['younger']);
    for (let index = 0; index < MANY; index += 1) await entities.create(`leaf-${index}`, { parent: 'low', cascade: true });
  }
  const move = (entities: Entities) => entities.move('top', { parent: 'young', cascade: true });

  const CHANGES: readonly { readonly title: string; readonly change: Change }[] = [
    { title: 'a creation at its end', change: (entities) => entities.create('new', { parent: 'leaf-7', cascade: true }) },
    { title: 'a creation in its middle', change: (entities) => entities.create('new', { parent: 'middle', cascade: true }) },
    { title: 'a deletion in its middle', change: (entities) => entities.delete('leaf-7') },
    { title: 'a move in its middle', change: (entities) => entities.move('low', { parent: 'top', cascade: false }) },
    { title: 'a move out of it', change: (entities) => entities.move('low', { parent: 'younger' }) },
    { title: 'another move of the same', change: (entities) => entities.move('top', { parent: 'younger' }) },
    { title: 'a move above it', change: (entities) => entities.move('young', { parent: 'younger', cascade: true }) },
    { title: 'a ring', change: (entities) => entities.move('young', { parent: 'leaf-3' }) },
  ];

  it.each(CHANGES)('and $title leave all with their true ancestors, in any order', async ({ change }) => {
    await inSomeOrders(60, 7, meeting(crowd, move, change), sound(['VALIDATION']));
  });

  it.each(CHANGES)('and $title before any of its requests leave all with their true ancestors', async ({ change }) => {
    for (let at = 1; ; at += 1) {
      const world = entitiesWorld(new MemoryTable());
      await crowd(world.entities);
      const outcomes: PromiseSettledResult<unknown>[] = [];
      const table = interrupted(world.table, at, async () => outcomes.push(...(await Promise.allSettled([change(world.entities)]))));

      outcomes.push(...(await Promise.allSettled([move(world.through(table))])));

      if (table.requests < at) break;
      sound(['VALIDATION'])({ results: outcomes, requests: at }, { table: world.table, programs: [] });
    }
  });

  it('and two others in its way leave all with their true ancestors, in any order', async () => {
    const out = (entities: Entities) => entities.move('low', { parent: 'younger' });
    const above = (entities: Entities) => entities.move('young', { parent: 'younger', cascade: true });

    await inSomeOrders(60, 11, meeting(crowd, move, out, above), sound());
  });

  it('and another such never make a ring: one of them is refused', async () => {
    const build = async (entities: Entities): Promise<void> => {
      await lines(entities, ['a', 'a1', 'a2'], ['b', 'b1', 'b2']);
      for (let index = 0; index < MANY; index += 1) {
        await entities.create(`a-${index}`, { parent: 'a' });
        await entities.create(`b-${index}`, { parent: 'b' });
      }
    };
    const check = sound(['VALIDATION']);
    const swap = meeting(
      build,
      (entities) => entities.move('a', { parent: 'b2' }),
      (entities) => entities.move('b', { parent: 'a2' }),
    );

    await inSomeOrders(60, 13, swap, (ends, run) => {
      expect(ends.results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      check(ends, run);
    });
  });

  it('does not take away the mark of another move of the same, which died', async () => {
    for (let at = 1; ; at += 1) {
      const world = entitiesWorld(new MemoryTable());
      await crowd(world.entities);
      const away = (entities: Entities) => entities.move('top', { parent: 'younger' });
      const dying = () => away(world.through(new CrashingTable(world.table, { at: 12, when: 'before' }))).catch(() => undefined);
      const table = interrupted(world.table, at, dying);
      await move(world.through(table));
      if (table.requests < at) break;

      await away(world.entities);

      sound()({ results: [], requests: at }, { table: world.table, programs: [] });
    }
  });
});
