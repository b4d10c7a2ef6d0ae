import { ATTRIBUTE } from '@millrace/core';
import type { ItemTable } from '@millrace/limiter/admin';
import { type ApplyProgress, applyManifest, diffManifest, type Manifest, manifest, parseManifest } from '@millrace/limits';
import { describe, expect, it } from 'vitest';
import { limitsWorld, listed, liveLevels, marked, planOf, START_MS, told } from './manifest-world.js';

const COUNT = 500;
const names = Array.from({ length: COUNT }, (_, index) => `tenant-${String(index).padStart(3, '0')}`);

/** A manifest of five hundred entities, of which some may be told otherwise. */
function tenants(change: (index: number) => string | undefined = () => undefined): Manifest {
  const entities = names.flatMap((name, index) => {
    const limit = change(index) ?? 'rpm:100/min';
    return limit === '' ? [] : [[name, { resources: { 'gpt-4': [limit, 'tpm:80000/min'] } }] as const];
  });
  return manifest({ name: 'tenants', system: { limits: ['rpm:10/min'] }, entities: Object.fromEntries(entities) });
}

describe('a manifest of five hundred entities', () => {
  it('is applied with progress, and then has an empty plan and no drift', async () => {
    const world = limitsWorld();
    const progress: ApplyProgress[] = [];

    const { summary } = await applyManifest(world.parts, tenants(), { actor: 'ci', onProgress: (step) => progress.push(step) });

    expect(summary).toEqual({ create: COUNT + 1, update: 0, delete: 0, unchanged: 0 });
    expect(progress[0]).toEqual({ done: 0, total: COUNT + 1 });
    expect(progress.at(-1)).toEqual({ done: COUNT + 1, total: COUNT + 1 });
    expect(progress.length).toBeGreaterThan(25);
    expect((await planOf(world, tenants())).summary).toEqual({ create: 0, update: 0, delete: 0, unchanged: COUNT + 1 });
    expect(await diffManifest(world.parts, tenants())).toEqual([]);
    const again = await applyManifest(world.parts, tenants());
    expect(again.summary.unchanged).toBe(COUNT + 1);
  });

  it('plans exactly what was changed in it', async () => {
    const world = limitsWorld();
    await applyManifest(world.parts, tenants());
    const next = tenants((index) => (index === 7 ? 'rpm:200/min' : index === 8 ? '' : undefined));

    expect(told(await planOf(world, next))).toEqual(['update entity/tenant-007/gpt-4', 'delete entity/tenant-008/gpt-4']);
    await applyManifest(world.parts, next);

    expect(told(await planOf(world, next))).toEqual([]);
  });

  it('shows a drift of one by hand, and mends it', async () => {
    const world = limitsWorld();
    await applyManifest(world.parts, tenants());
    await world.limits.setEntity('tenant-123', 'gpt-4', [{ name: 'rpm', refill: 1, periodMs: 1_000 }]);

    expect(await diffManifest(world.parts, tenants())).toMatchObject([{ kind: 'changed', target: 'entity/tenant-123/gpt-4' }]);
    await applyManifest(world.parts, tenants());

    expect(await diffManifest(world.parts, tenants())).toEqual([]);
  });

  it('costs a read for each hundred levels and a transaction for about twenty', async () => {
    const world = limitsWorld();

    await applyManifest(world.parts, tenants());

    const levels = COUNT + 1;
    // The lock, the list of what was made, the plan and the apply.
    expect(world.reads()).toBe(1 + 1 + 2 * Math.ceil(levels / 100));
    // Taking the lock, about nineteen levels of five writes each beside the guard, giving the lock back.
    expect(world.transactions.length).toBeLessThanOrEqual(1 + Math.ceil(levels / 19) + 5 + 1);
  });

  it('prunes what it has made, and nothing else', async () => {
    const world = limitsWorld();
    await world.limits.setEntity('tenant-by-hand', 'gpt-4', [{ name: 'rpm', refill: 1, periodMs: 1_000 }]);
    await applyManifest(world.parts, tenants());

    await applyManifest(world.parts, manifest({ name: 'tenants' }));

    expect([...liveLevels(world).keys()]).toEqual(['entity/tenant-by-hand/gpt-4']);
    expect(await listed(world, 'tenants')).toEqual({ all: ['entity/tenant-by-hand/gpt-4'], managed: [] });
  });
});

describe('applying a manifest', () => {
  const small = manifest({
    name: 'm',
    resources: { api: ['rpm:5/min'] },
    entities: { a: { default: ['rpm:1/min'], resources: { api: ['rpm:2/min'] } } },
  });

  it('W-39: makes levels that the lists show, that are read like any other, and marks them', async () => {
    const world = limitsWorld();

    await applyManifest(world.parts, small);

    expect(await world.limits.listResources()).toEqual({ names: ['api'] });
    expect(await world.limits.listEntities('api')).toEqual({ names: ['a'] });
    expect((await world.limits.listOfEntity('a')).levels).toMatchObject([{ managedBy: 'm' }, { resource: 'api', managedBy: 'm' }]);
    expect(marked(world, 'm')).toHaveLength(3);
  });

  it('W-39: leaves nothing that a purge of the namespace would not find by its key', async () => {
    const world = limitsWorld();

    await applyManifest(world.parts, small);

    for (const item of world.table.items()) expect(item['PK']).toMatch(/^ns1\//);
  });

  it('W-39: leaves an event for each level, in the transaction of its change, with who and what was there', async () => {
    const world = limitsWorld();
    await applyManifest(world.parts, small, { actor: 'ci' });
    await applyManifest(world.parts, manifest({ name: 'm' }), { actor: 'ann' });

    const events = world
      .events()
      .map(({ action, subject, actor, before, after }) => [action, subject, actor, before !== undefined, after !== undefined]);
    expect(events.slice(0, 3).sort()).toEqual([
      ['limits.set', 'entity/a', 'ci', false, true],
      ['limits.set', 'entity/a', 'ci', false, true],
      ['limits.set', 'resource/api', 'ci', false, true],
    ]);
    expect(events.slice(3).map(([action, , actor]) => [action, actor])).toEqual(Array.from({ length: 3 }, () => ['limits.delete', 'ann']));
    for (const writes of world.transactions) {
      const levels = writes.filter((write) => write.kind === 'update' && write.key.sort.startsWith('limits')).length;
      expect(writes.filter((write) => write.kind === 'put' && write.item['action'] !== undefined)).toHaveLength(2 * levels);
    }
  });

  it('W-39: tells the caches of this process, and raises the version that live buckets obey', async () => {
    const world = limitsWorld();
    await applyManifest(world.parts, small);
    const version = (await world.limits.getResource('api'))?.version ?? 0;
    world.nowMs -= 60_000;

    await applyManifest(world.parts, manifest({ name: 'm', resources: { api: ['rpm:6/min'] } }));

    expect(world.told).toContainEqual({ level: 'resource', resource: 'api' });
    expect(world.told).toContainEqual({ level: 'entity', entity: 'a', resource: 'api' });
    expect((await world.limits.getResource('api'))?.version).toBe(version + 1);
  });

  it('W-39: leaves what is deleted as a tombstone that expires, and what comes again without any expiry', async () => {
    const world = limitsWorld();
    const item = () => world.item('ns1/r/api', 'limits');
    await applyManifest(world.parts, small);
    await applyManifest(world.parts, manifest({ name: 'm' }));
    expect(item()).toMatchObject({ deleted: true, ttl: START_MS / 1_000 + 30 * 86_400 });

    await applyManifest(world.parts, small);

    expect(item()).not.toHaveProperty('ttl');
    expect(item()).not.toHaveProperty('deleted');
  });

  it('W-39: never believes that what failed was done: an apply that ends in an error is planned again', async () => {
    const world = limitsWorld();
    const refused = new Error('refused');
    // The lock and one transaction of levels are written.
    const fails = (): boolean => world.transactions.length === 2;
    const transact: ItemTable['transact'] = (writes) => (fails() ? Promise.reject(refused) : world.parts.items.transact(writes));
    const items: ItemTable = { ...world.parts.items, transact };

    await expect(applyManifest({ ...world.parts, items }, tenants())).rejects.toThrow('refused');

    const { summary } = await planOf(world, tenants());
    expect(summary).toMatchObject({ create: COUNT + 1 - 20, unchanged: 20 });
  });

  it('W-39: has no one item that all must fit into', async () => {
    const world = limitsWorld();
    const entities = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`${'x'.repeat(200)}-${index}`, { default: ['rpm:5/min'] }]),
    );

    await applyManifest(world.parts, manifest({ entities }));

    const largest = Math.max(...world.table.items().map((item) => JSON.stringify(item).length));
    expect(largest).toBeLessThan(2_000);
  });

  it('W-39: reads numbers as numbers only, so that a template which makes text of them is refused and not misread', () => {
    const text = '{ "resources": { "api": [{ "name": "rpm", "refill": "500", "per": "min" }] } }';

    expect(() => parseManifest(text)).toThrow(
      'resources.api[0].refill: limit "rpm": refill must be a whole number from 1 to 1000000000000, got "500"',
    );
  });

  it('W-39: refuses a manifest for another namespace, or for one that is not there, and writes nothing', async () => {
    const world = limitsWorld();
    world.table.put({ PK: '_/namespaces', SK: 'ours', v: 1, [ATTRIBUTE.namespaceId]: 'ns1' });
    world.table.put({ PK: '_/namespaces', SK: 'theirs', v: 1, [ATTRIBUTE.namespaceId]: 'ns2' });

    await applyManifest(world.parts, manifest({ namespace: 'ours', resources: { api: ['rpm:5/min'] } }));
    for (const namespace of ['theirs', 'nowhere']) {
      const call = applyManifest(world.parts, manifest({ name: 'x', namespace, resources: { b: ['rpm:5/min'] } }));
      await expect(call).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringContaining(`got "${namespace}"`) });
    }

    expect([...liveLevels(world).keys()]).toEqual(['resource/api']);
  });

  it('shows the plan before it writes, and writes nothing if that is not wanted', async () => {
    const world = limitsWorld();
    const onPlan = (): never => {
      throw new Error('not wanted');
    };

    await expect(applyManifest(world.parts, small, { onPlan })).rejects.toThrow('not wanted');

    expect([...liveLevels(world).keys()]).toEqual([]);
    await applyManifest(world.parts, small);
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'an unknown option',
      { dryRun: true },
      'options key must be one of prune, actor, owner, takeOver, leaseMs, onPlan, onProgress, onFailure, got "dryRun"',
    ],
    ['an empty owner', { owner: '' }, 'owner must be a string of at least one character, got ""'],
    ['a lease of nothing', { leaseMs: 0 }, 'option "leaseMs" must be a whole number from 1000 to 86400000, got 0'],
    ['half a prune', { prune: 0 }, 'option "prune" must be true or false, got 0'],
    ['no function', { onProgress: true }, 'option "onProgress" must be a function, got true'],
    ['a long actor', { actor: 'x'.repeat(300) }, 'option "actor" must be a string of 1 to 256 characters'],
  ])('refuses %s before anything is sent', async (_, options, message) => {
    const world = limitsWorld();

    await expect(applyManifest(world.parts, small, options)).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining(message),
    });

    expect([world.reads(), world.transactions.length]).toEqual([0, 0]);
  });
});
