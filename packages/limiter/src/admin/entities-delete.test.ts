import { ATTRIBUTE, bucketKey, FIRST_LAYOUT, type Layout, layoutAfter } from '@millrace/core';
import { CrashingTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { entitiesWorld, faultsOf, storedEntities } from '../../test/entities-world.js';
import { bucketItem, isEvent, isLeftBehind, itemTexts, PlantedTree, plantOutsiders, spreadOver } from '../../test/planted-tree.js';
import type { DeleteProgress } from './entity-delete.js';

function planted() {
  const world = entitiesWorld();
  return Object.assign(world, { tree: new PlantedTree(world.parts) });
}

type PlantedWorld = ReturnType<typeof planted>;

function plantItem(world: PlantedWorld, resource: string, shard: number, layout: Layout | undefined): void {
  const item = bucketItem('ns1', { entity: 'key', resource, shard }, { rpm: 1 });
  world.table.put(layout === undefined ? item : { ...item, [ATTRIBUTE.layout]: layout });
}

function plantBucket(world: PlantedWorld, resource: string, items: number): void {
  for (let shard = 0; shard < items; shard += 1) plantItem(world, resource, shard, spreadOver(items));
}

function bucketsLeft(world: PlantedWorld): readonly string[] {
  const keys = world.table.items().map(({ PK: partition, SK: sort }) => `${partition} ${sort}`);
  return keys.filter((key) => key.startsWith('ns1/b/'));
}

describe('deleting an entity', () => {
  it('takes its limits, its control, its buckets and all links with it, and leaves tombstones that expire', async () => {
    const world = planted();
    await world.tree.plant('org');
    const before = itemTexts(world.table.items());
    const belongings = { limitsOn: ['gpt', 'a/b'], hasDefault: true, isDisabled: true, buckets: { gpt: 3, 'a/b': 1 }, manifest: 'm' };
    await world.tree.plant('key', 'org', belongings);

    await world.entities.delete('key');

    const after = itemTexts(world.table.items().filter((item) => !isLeftBehind(item)));
    for (const [key, text] of after) expect(text).toBe(before.get(key));
    expect(world.item('ns1/e/key', 'entity')).toMatchObject({ deleted: true, ttl: world.nowMs / 1000 + 30 * 86_400, children: 0 });
    expect(world.item('ns1/e/key', 'limits')).toMatchObject({ deleted: true, ttl: expect.any(Number) });
    expect(await world.entities.control('key')).toEqual({ mode: 'enforce' });
    expect(await world.limits.listEntities('gpt')).toEqual({ names: [] });
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('leaves events of all that was taken away, the entity last', async () => {
    const world = planted();
    await world.tree.plant('key', undefined, { limitsOn: ['gpt'], hasDefault: true, isDisabled: true });
    const before = world.events().length;

    await world.entities.delete('key', { actor: 'ada' });

    const told = world.events().slice(before);
    expect(told.map(({ action, subject, resource, actor }) => [action, subject, resource, actor])).toEqual([
      ['entity.control', 'entity/key', undefined, 'ada'],
      ['limits.delete', 'entity/key', undefined, 'ada'],
      ['limits.delete', 'entity/key', 'gpt', 'ada'],
      ['entity.delete', 'entity/key', undefined, 'ada'],
    ]);
    expect(told.at(-1)).toMatchObject({ before: '{"cascade":false,"ancestors":[]}' });
    expect(world.told).toContainEqual({ level: 'lineage', entity: 'key' });
    expect(world.told).toContainEqual({ level: 'entity', entity: 'key', resource: 'gpt' });
  });

  it('with children is refused and changes nothing, unless they are to go, too', async () => {
    const world = planted();
    await world.tree.plant('org', undefined, { limitsOn: ['gpt'], buckets: { gpt: 1 } });
    await world.tree.plant('key-1', 'org');
    await world.tree.plant('key-2', 'org');
    const before = world.table.items();

    const refusal = world.entities.delete('org');

    await expect(refusal).rejects.toMatchObject({ code: 'ENTITY_HAS_CHILDREN', message: expect.stringContaining('2 children') });
    expect(world.table.items()).toEqual(before);
    await world.entities.delete('org', { children: true });
    expect(await world.entities.list()).toEqual({ ids: [] });
    expect(world.table.items().filter((item) => !isLeftBehind(item))).toEqual([]);
  });

  it('with all below it goes from the bottom up, and tells of each', async () => {
    const world = planted();
    await world.chain('org', 'project', 'key');
    await world.entities.create('other', { parent: 'org' });
    const progress: DeleteProgress[] = [];

    await world.entities.delete('org', { children: true, onProgress: (each) => progress.push(each) });

    expect(progress).toEqual([
      { deleted: 1, entity: 'other' },
      { deleted: 2, entity: 'key' },
      { deleted: 3, entity: 'project' },
      { deleted: 4, entity: 'org' },
    ]);
  });

  it('that was never created takes the limits and buckets that it has, and leaves an event', async () => {
    for (const belongings of [{ limitsOn: ['gpt'] }, { hasDefault: true }, { isDisabled: true }, { buckets: { gpt: 2 } }]) {
      const world = planted();
      await world.tree.furnish('nobody', belongings);

      await world.entities.delete('nobody');

      expect(world.table.items().filter((item) => !isLeftBehind(item))).toEqual([]);
      expect(world.events().at(-1)).toMatchObject({ action: 'entity.delete', subject: 'entity/nobody' });
      await expect(world.entities.delete('nobody')).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
    }
  });

  it('of which there is nothing is refused, the second time, too', async () => {
    const world = planted();
    await world.tree.plant('key', undefined, { limitsOn: ['gpt'], buckets: { gpt: 1 } });
    await world.entities.delete('key');
    const before = world.table.items();

    for (const id of ['key', 'nobody']) {
      await expect(world.entities.delete(id)).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND', message: expect.stringContaining(id) });
    }

    expect(world.table.items()).toEqual(before);
  });

  it('finds the buckets of every resource with all their items, however many', async () => {
    const world = planted();
    await world.tree.plant('key');
    const hot = Array.from({ length: 12 }, (_, index) => [`hot-${index * 20}`, 32] as const);
    const cold = Array.from({ length: 238 }, (_, index) => [`cold-${index}`, 1] as const);
    for (const [resource, items] of [...hot, ...cold]) plantBucket(world, resource, items);

    await world.entities.delete('key');

    expect(bucketsLeft(world)).toEqual([]);
  });

  it('finds all items of a bucket that is spread, also where some between them have expired', async () => {
    const world = planted();
    await world.tree.plant('key');
    plantBucket(world, 'gpt', 32);
    const gone = Array.from({ length: 31 }, (_, index) => index + 1).filter((shard) => shard !== 2 && shard !== 31);
    await world.table.deleteAll(gone.map((shard) => bucketKey({ namespaceId: 'ns1', entity: 'key', resource: 'gpt', shard })));

    await world.entities.delete('key');

    expect(bucketsLeft(world)).toEqual([]);
  });

  it('finds the items that a merge has left behind, of which the first item says nothing any more', async () => {
    const world = planted();
    await world.tree.plant('key');
    for (const shard of [0, 3]) plantItem(world, 'gpt', shard, layoutAfter(layoutAfter(FIRST_LAYOUT, 4), 1));

    await world.entities.delete('key');

    expect(bucketsLeft(world)).toEqual([]);
  });

  it('asks once for the buckets of an entity, and once more if any of them was ever spread', async () => {
    const requests = async (items: number): Promise<readonly string[]> => {
      const world = planted();
      plantBucket(world, 'gpt', items);
      plantBucket(world, 'a/b', 1);
      const counting = new CrashingTable(world.table);
      await world.through(counting).delete('key');
      expect(bucketsLeft(world)).toEqual([]);
      return counting.operations;
    };

    // The entity, its limits and its buckets; the event, and the buckets.
    expect(await requests(1)).toEqual(['get', 'query', 'query', 'transact', 'deleteAll']);
    expect(await requests(2)).toEqual(['get', 'query', 'query', 'get', 'transact', 'deleteAll', 'deleteAll']);
  });

  it('finds the limits of every resource, however many, and keeps within what a transaction holds', async () => {
    const world = planted();
    await world.tree.plant('key', undefined, { limitsOn: Array.from({ length: 130 }, (_, index) => `r-${index}`), manifest: 'm' });

    await world.entities.delete('key');

    expect(world.table.items().filter((item) => !isLeftBehind(item))).toEqual([]);
    expect(world.events().filter(({ action }) => action === 'limits.delete')).toHaveLength(130);
  });

  it('meets limits that are set in between, and takes them, too', async () => {
    const world = planted();
    await world.tree.plant('key', undefined, { hasDefault: true });
    world.before = () => world.tree.furnish('key', { isDisabled: true });

    await world.entities.delete('key');

    expect(world.table.items().filter((item) => !isLeftBehind(item))).toEqual([]);
  });

  it('meets a child that is created in between, and takes it, too, if children shall go', async () => {
    const world = planted();
    await world.chain('org', 'key');
    world.before = async () => void (await world.entities.create('late', { parent: 'org' }));

    await world.entities.delete('org', { children: true });

    expect((await world.entities.list()).ids).toEqual([]);
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('touches no other entity and no other namespace, whatever they are called', async () => {
    const world = planted();
    const other = new PlantedTree(entitiesWorld(world.table, 'ns2').parts);
    await plantOutsiders(world.tree, other);
    const before = itemTexts(world.table.items());
    await world.tree.plant('org', 'company', { limitsOn: ['gpt'], hasDefault: true, buckets: { gpt: 3 }, manifest: 'm' });
    await world.tree.plant('project-0', 'org', { isDisabled: true });
    await world.tree.plant('key-0-0', 'project-0', { buckets: { gpt: 1, 'a/b': 1 } });

    await world.entities.delete('org', { children: true });

    const after = itemTexts(world.table.items());
    for (const [key, text] of before) expect(after.get(key)).toBe(text);
    const more = world.table.items().filter((item) => !before.has(`${item['PK']}\n${item['SK']}`));
    expect(more.every(isLeftBehind)).toBe(true);
    expect(faultsOf(world.table.items())).toEqual([]);
  });

  it('refuses options that nobody reads, and what is no function', async () => {
    const world = planted();
    await world.tree.plant('key');

    for (const options of [{ child: true }, { children: 'yes' }, { onProgress: 5 }, { actor: '' }, null]) {
      await expect(world.entities.delete('key', options as never)).rejects.toMatchObject({ code: 'VALIDATION' });
    }

    expect(storedEntities(world.table.items()).get('key')?.deleted).toBe(false);
  });
});

describe("the peer's deletion (W-35)", () => {
  it('leaves counts, links and children behind; ours leaves tombstones and events, and nothing that lists it', async () => {
    const world = planted();
    await world.tree.plant('org');
    await world.tree.plant('key', 'org', { limitsOn: ['gpt'], buckets: { gpt: 1 }, manifest: 'm' });

    await world.entities.delete('org', { children: true });

    expect((await world.limits.listEntities('gpt')).names).toEqual([]);
    expect(await world.entities.children('org')).toEqual({ ids: [] });
    expect(world.table.items().filter((item) => !isEvent(item) && item['deleted'] !== true)).toEqual([]);
  });

  it('is silent where there is nothing; ours says so', async () => {
    await expect(planted().entities.delete('nobody')).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
  });
});
