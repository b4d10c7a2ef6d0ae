import { Limit } from '@millrace/core';
import type { Administration, Item } from '@millrace/limiter/admin';
import { MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { limitsWorld } from '../../test/limits-world.js';
import { PlantedTree } from '../../test/planted-tree.js';
import { registryWorld } from '../../test/registry-world.js';
import { applyLevels } from './apply-levels.js';
import { FencedTable } from './fenced-table.js';
import { MAX_TRANSACTION_WRITES } from './item-table.js';

const limits = [Limit.perMinute('rpm', 100)];
const CLOSED = { code: 'NAMESPACE_STATE', message: expect.stringContaining('was deleted') };

/** A namespace, as a limiter has it open that administers it, and the registry of the same table. */
async function opened() {
  const registry = registryWorld();
  const { id } = await registry.namespaces.register('acme');
  const world = limitsWorld(registry.table, id);
  const parts: Administration = { ...world.parts, items: new FencedTable(world.parts.items, id) };
  const tree = new PlantedTree(parts);
  return { ...registry, id, world, parts, tree };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const WRITES: Readonly<Record<string, (open: Opened) => Promise<unknown>>> = {
  'creating an entity': ({ tree }) => tree.entities.create('new', { parent: 'org' }),
  'moving an entity': ({ tree }) => tree.entities.move('key', { parent: null }),
  'moving an entity with much below it': ({ tree }) => tree.entities.move('org', { parent: 'company' }),
  'deleting an entity': ({ tree }) => tree.entities.delete('key'),
  'deleting an entity that was never created': ({ tree }) => tree.entities.delete('nobody'),
  'deleting an entity with all below it': ({ tree }) => tree.entities.delete('org', { children: true }),
  'disabling an entity': ({ tree }) => tree.entities.disable('key'),
  'resetting a bucket': ({ tree }) => tree.entities.reset('key', 'gpt'),
  'granting tokens': ({ tree }) => tree.entities.grant('key', 'gpt', { rpm: 1 }),
  'setting limits of the system': ({ tree }) => tree.limits.setSystem([Limit.perMinute('rpm', 7)]),
  'setting limits of a resource': ({ tree }) => tree.limits.setResource('api', limits),
  'setting limits of an entity': ({ tree }) => tree.limits.setEntity('key', 'api', limits),
  'deleting limits': ({ tree }) => tree.limits.deleteEntity('key', 'gpt'),
  'setting a policy': ({ tree }) => tree.limits.setOnUnavailable('allow'),
  'applying a manifest': ({ tree }) => tree.limits.apply([{ level: { level: 'resource', resource: 'api' }, limits }], { manifest: 'm' }),
  'applying a manifest under a lock': ({ parts, id }) =>
    applyLevels(parts, [{ level: { level: 'resource', resource: 'api' }, limits }], {
      actor: undefined,
      manifest: 'm',
      guard: () => [{ kind: 'put', item: { PK: `${id}/m/m`, SK: 'lock' } }],
    }),
};

async function furnish({ tree }: Opened): Promise<void> {
  await tree.plant('company');
  await tree.plant('org');
  await tree.plant('key', 'org', { limitsOn: ['gpt'], buckets: { gpt: 1 } });
  for (let index = 0; index < 120; index += 1) await tree.plant(`key-${index}`, 'org');
  await tree.furnish('nobody', { buckets: { gpt: 2 } });
  await tree.limits.setSystem(limits);
}

const within = (items: readonly Item[], id: string): readonly Item[] => items.filter(({ PK }) => String(PK).startsWith(`${id}/`));

describe('a namespace that was deleted while a limiter has it open', () => {
  it.each(Object.keys(WRITES))('refuses %s, and nothing in it changes', async (name) => {
    const open = await opened();
    await furnish(open);
    await open.namespaces.delete('acme');
    const before = open.table.items();

    await expect(WRITES[name]?.(open)).rejects.toMatchObject(CLOSED);

    expect(open.table.items()).toEqual(before);
  });

  it.each(Object.keys(WRITES))('and purged keeps nothing of %s', async (name) => {
    const open = await opened();
    await furnish(open);
    await open.namespaces.delete('acme');
    await open.namespaces.purge('acme');

    // What it is about is gone, which some calls see first.
    await WRITES[name]?.(open).catch(() => undefined);

    expect(within(open.table.items(), open.id)).toEqual([open.world.item(`${open.id}/s`, 'limits')]);
    expect(open.world.item(`${open.id}/s`, 'limits')).toMatchObject({ closed: true });
  });

  it.each(['setting limits of the system', 'setting a policy'])('in the middle of %s is not opened by it', async (name) => {
    const open = await opened();
    await furnish(open);
    open.world.before = () => open.namespaces.delete('acme').then(() => undefined);

    await expect(WRITES[name]?.(open)).rejects.toMatchObject(CLOSED);

    expect(open.world.item(`${open.id}/s`, 'limits')).toMatchObject({ closed: true });
  });

  it.each(Object.keys(WRITES))('takes %s again once it was recovered', async (name) => {
    const open = await opened();
    await furnish(open);
    await open.namespaces.delete('acme');
    await open.namespaces.recover('acme');

    await WRITES[name]?.(open);
  });

  it('refuses for as long as anybody has it open, however long ago it was purged', async () => {
    const open = await opened();
    await open.namespaces.delete('acme');
    await open.namespaces.purge('acme');
    await open.namespaces.register('acme');
    const left = within(open.table.items(), open.id);

    expect(left.map(({ ttl }) => ttl)).toEqual([undefined]);
    await expect(open.tree.limits.setResource('api', limits)).rejects.toMatchObject(CLOSED);
  });
});

describe('a namespace that is open', () => {
  it('is looked at once before each transaction, and has no check in it at which all of them would meet', async () => {
    const { tree, world, id } = await opened();

    await tree.limits.setResource('api', limits);
    await tree.limits.setSystem(limits);

    const closing = (writes: Opened['world']['transactions'][number]) =>
      writes.filter((write) => (write.kind === 'put' ? write.item['PK'] : write.key.partition) === `${id}/s`);
    expect(world.transactions.map((writes) => closing(writes).map(({ kind }) => kind))).toEqual([[], ['update']]);
  });

  it('tells another writer from a deletion, and tries again', async () => {
    const { tree, world } = await opened();
    world.before = () => world.limits.setResource('api', [Limit.perMinute('rpm', 1)]);

    await tree.limits.setResource('api', limits);

    expect((await tree.limits.getResource('api'))?.limits.map(({ capacity }) => capacity)).toEqual([100]);
  });

  it('has its largest transactions within what DynamoDB takes', async () => {
    const open = await opened();
    await furnish(open);
    for (let index = 0; index < 60; index += 1) await open.tree.furnish('key', { limitsOn: [`r-${index}`], manifest: 'm' });

    await open.tree.entities.move('org', { parent: 'company' });
    await open.tree.entities.delete('org', { children: true });

    const sizes = open.world.transactions.map((writes) => writes.length);
    expect(Math.max(...sizes)).toBeGreaterThan(MAX_TRANSACTION_WRITES - 6);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_TRANSACTION_WRITES);
  });

  it('has its buckets deleted only after a look at whether it still is', async () => {
    const table = new MemoryTable();
    table.put({ PK: 'ns1/s', SK: 'limits', closed: true });
    table.put({ PK: 'ns1/b/key/0', SK: 'gpt' });
    const fenced = new FencedTable(table, 'ns1');

    await fenced.deleteAll([]);
    await expect(fenced.deleteAll([{ partition: 'ns1/b/key/0', sort: 'gpt' }])).rejects.toMatchObject(CLOSED);

    expect(table.items()).toHaveLength(2);
  });
});
