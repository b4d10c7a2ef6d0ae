import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BadCall, describeBadCalls } from './bad-call.js';
import { type BadInputWorld, openBadInputWorld } from './bad-input-world.js';

const DEEPEST = 8;

let world: BadInputWorld;
beforeAll(async () => {
  world = await openBadInputWorld();
  const { entities } = world.limiter;
  await entities.create('level-0');
  for (let depth = 1; depth <= DEEPEST; depth += 1) await entities.create(`level-${depth}`, { parent: `level-${depth - 1}` });
  await entities.create('gone');
  await entities.delete('gone');
});
afterAll(() => world.close());

const create = (id: string, options?: unknown) => (from: BadInputWorld) => from.limiter.entities.create(id, options as object);

describeBadCalls('entities that are refused', () => world, [
  { title: 'one that exists', call: create('child'), code: 'ENTITY_EXISTS', says: ['"child"', 'delete it first'] },
  { title: 'one that exists, elsewhere', call: create('child', { parent: 'level-0' }), code: 'ENTITY_EXISTS', says: ['"child"'] },
  { title: 'one below nobody', call: create('new', { parent: 'nobody' }), code: 'ENTITY_NOT_FOUND', says: ['"nobody"', 'create it first'] },
  { title: 'one below a deleted one', call: create('new', { parent: 'gone' }), code: 'ENTITY_NOT_FOUND', says: ['"gone"'] },
  {
    title: 'one with nine ancestors',
    call: create('level-9', { parent: 'level-8' }),
    says: ['parent', 'at most 7 ancestors', '"level-8"'],
  },
  { title: 'one below itself', call: create('self', { parent: 'self' }), code: 'ENTITY_NOT_FOUND', says: ['"self"'] },
  { title: 'one below itself, created before', call: create('child', { parent: 'child' }), code: 'ENTITY_EXISTS', says: ['"child"'] },
  {
    title: 'one that cascades to nobody',
    call: create('new', { cascade: true }),
    says: ['option "cascade"', 'without a parent', 'got true'],
  },
  {
    title: 'cascade of yes',
    call: create('new', { parent: 'parent', cascade: 'yes' }),
    says: ['option "cascade"', 'true or false', 'got "yes"'],
  },
  { title: 'cascade of null', call: create('new', { parent: 'parent', cascade: null }), says: ['option "cascade"', 'got null'] },
  { title: 'options of null', call: create('new', null), says: ['options', 'got null'] },
  {
    title: 'a key that nobody reads',
    call: create('new', { parrent: 'parent' }),
    says: ['options key', 'parent, cascade', 'got "parrent"'],
  },
  {
    title: 'deleting one with children',
    call: ({ limiter }) => limiter.entities.delete('parent'),
    code: 'ENTITY_HAS_CHILDREN',
    says: ['"parent"', '1 child', 'delete them first'],
  },
  {
    title: 'deleting nobody',
    call: ({ limiter }) => limiter.entities.delete('nobody'),
    code: 'ENTITY_NOT_FOUND',
    says: ['no entity "nobody"'],
  },
  {
    title: 'deleting one twice',
    call: ({ limiter }) => limiter.entities.delete('gone'),
    code: 'ENTITY_NOT_FOUND',
    says: ['no entity "gone"'],
  },
  {
    title: 'listing pages of 0',
    call: ({ limiter }) => limiter.entities.children('parent', { pageSize: 0 }),
    says: ['option "pageSize"', '1 to 1000', 'got 0'],
  },
  {
    title: 'listing pages of 1,001',
    call: ({ limiter }) => limiter.entities.children('parent', { pageSize: 1_001 }),
    says: ['option "pageSize"', 'got 1001'],
  },
  {
    title: 'listing behind a name that is none',
    call: ({ limiter }) => limiter.entities.children('parent', { after: '\0' }),
    says: ['entity', 'printable'],
  },
  {
    title: 'listing with a key that nobody reads',
    call: ({ limiter }) => limiter.entities.children('parent', { limit: 5 } as never),
    says: ['options key', 'pageSize, after', 'got "limit"'],
  },
] satisfies BadCall<BadInputWorld>[]);

describe('an entity that was refused', () => {
  it('is not there', async () => {
    const { entities } = world.limiter;
    await expect(entities.create('late', { parent: 'nobody' })).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });

    expect(await entities.get('late')).toBeUndefined();
    expect(await entities.get('nobody')).toBeUndefined();
    expect(await entities.children('nobody')).toEqual({ ids: [] });
  });
});
