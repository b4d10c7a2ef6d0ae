import { Limit } from '@millrace/core';
import { applyManifest, diffManifest, manifest, plan, readLive } from '@millrace/limits';
import { describe, expect, it } from 'vitest';
import { limitsWorld, planOf, told } from './manifest-world.js';

const api = manifest({ name: 'm', resources: { api: ['rpm:500/min', 'tpm:1000/min'] } });
const rpm = [Limit.perMinute('rpm', 7)];

describe('a plan', () => {
  it('names what it creates, updates and deletes, with what is there and what shall be', async () => {
    const world = limitsWorld();
    const before = manifest({ system: { limits: ['rpm:1/s'] }, resources: { a: ['rpm:1/s'], b: ['rpm:1/s'] } });
    const after = manifest({ system: { limits: ['rpm:1/s'] }, resources: { a: ['rpm:2/s'], 'c/d': ['rpm:1/s'] } });
    await applyManifest(world.parts, before);

    const planned = await planOf(world, after);

    const one = [Limit.perSecond('rpm', 1)];
    expect(planned).toEqual({
      changes: [
        { action: 'unchanged', target: 'system', level: { level: 'system' }, part: 'limits', before: one, after: one },
        {
          action: 'update',
          target: 'resource/a',
          level: { level: 'resource', resource: 'a' },
          part: 'limits',
          before: one,
          after: [Limit.perSecond('rpm', 2)],
        },
        { action: 'create', target: 'resource/c%2Fd', level: { level: 'resource', resource: 'c/d' }, part: 'limits', after: one },
        { action: 'delete', target: 'resource/b', level: { level: 'resource', resource: 'b' }, part: 'limits', before: one },
      ],
      summary: { create: 1, update: 1, delete: 1, unchanged: 1 },
    });
  });

  it('W-39: has nothing to do for a manifest that was applied, nor for one in another order or another form', async () => {
    const world = limitsWorld();
    await applyManifest(world.parts, api);

    const other = manifest({ name: 'm', resources: { api: [{ name: 'tpm', refill: 1_000, per: 'min' }, Limit.perMinute('rpm', 500)] } });
    expect(told(await planOf(world, api))).toEqual([]);
    expect(told(await planOf(world, other))).toEqual([]);
    expect(await diffManifest(world.parts, other)).toEqual([]);
  });

  it('leaves what was made by hand as it is, and unmarked, where it is as it should be', async () => {
    const world = limitsWorld();
    await world.limits.setResource('api', [Limit.perMinute('tpm', 1_000), Limit.perMinute('rpm', 500)]);
    const before = world.table.items();

    expect((await planOf(world, api)).summary).toEqual({ create: 0, update: 0, delete: 0, unchanged: 1 });
    await applyManifest(world.parts, api);
    expect(await world.limits.getResource('api')).not.toHaveProperty('managedBy');
    await applyManifest(world.parts, manifest({ name: 'm' }));

    expect(world.table.items().filter(({ SK }) => SK !== 'lock')).toEqual(before);
  });

  it('adopts what was made by hand where it is not as it should be', async () => {
    const world = limitsWorld();
    await world.limits.setResource('api', rpm);

    expect(told(await planOf(world, api))).toEqual(['update resource/api']);
    await applyManifest(world.parts, api);

    expect(await world.limits.getResource('api')).toMatchObject({ managedBy: 'm' });
  });

  it('deletes only what this manifest has made: not what was made by hand, nor by another manifest', async () => {
    const world = limitsWorld();
    await applyManifest(world.parts, manifest({ name: 'm', resources: { mine: ['a:1/s'] } }));
    await applyManifest(world.parts, manifest({ name: 'n', resources: { theirs: ['a:1/s'] } }));
    await world.limits.setResource('by hand', rpm);

    expect(told(await planOf(world, manifest({ name: 'm' })))).toEqual(['delete resource/mine']);
    expect(told(await planOf(world, manifest({ name: 'o' })))).toEqual([]);
  });

  it('deletes nothing where it shall not', async () => {
    const world = limitsWorld();
    await applyManifest(world.parts, api);
    const empty = manifest({ name: 'm' });

    expect(plan(empty, await readLive(world.parts, empty), { prune: false }).changes).toEqual([]);
    await applyManifest(world.parts, empty, { prune: false });
    expect(await world.limits.getResource('api')).toMatchObject({ managedBy: 'm' });
    expect(() => plan(empty, { levels: new Map() }, { prune: 'no' as never })).toThrow('option "prune" must be true or false, got "no"');
  });

  it('takes over what another manifest has made, says so, and lets it go from there', async () => {
    const world = limitsWorld();
    const [old, next] = ['old', 'new'].map((name) => manifest({ name, resources: { api: ['rpm:5/min'] } })) as [typeof api, typeof api];
    await applyManifest(world.parts, old);

    expect((await planOf(world, next)).changes).toMatchObject([{ action: 'update', target: 'resource/api', takenFrom: 'old' }]);
    expect(await diffManifest(world.parts, next)).toMatchObject([{ kind: 'taken', heldBy: 'old' }]);
    await applyManifest(world.parts, next);
    await applyManifest(world.parts, manifest({ name: 'old' }));

    expect(await world.limits.getResource('api')).toMatchObject({ managedBy: 'new' });
    expect(told(await planOf(world, next))).toEqual([]);
  });

  it('sets, changes and takes away what happens when the store is unavailable, apart from the limits of the system', async () => {
    const world = limitsWorld();
    await world.limits.setSystem(rpm);
    await applyManifest(world.parts, manifest({ system: { onUnavailable: 'allow' } }));
    expect(await world.limits.getOnUnavailable()).toBe('allow');

    const other = manifest({ system: { onUnavailable: 'block' } });
    expect(told(await planOf(world, other))).toEqual(['update system/on-unavailable']);
    await applyManifest(world.parts, other);
    expect(await world.limits.getOnUnavailable()).toBe('block');

    await applyManifest(world.parts, manifest({}));
    expect(await world.limits.getOnUnavailable()).toBeUndefined();
    expect(await world.limits.getSystem()).toMatchObject({ limits: rpm });
  });

  it('never takes away what happens when the store is unavailable if it was set by hand', async () => {
    const world = limitsWorld();
    await world.limits.setOnUnavailable('allow');

    await applyManifest(world.parts, manifest({ system: { limits: ['rpm:5/min'] } }));
    await applyManifest(world.parts, manifest({}));

    expect(await world.limits.getOnUnavailable()).toBe('allow');
    expect(await world.limits.getSystem()).toBeUndefined();
  });
});

describe('drift', () => {
  it('is everything that was changed by hand, is missing, or was left over', async () => {
    const world = limitsWorld();
    const resources = { changed: ['a:1/s'], missing: ['a:1/s'], 'made anew': ['a:1/s'], same: ['a:1/s'] };
    await applyManifest(
      world.parts,
      manifest({ name: 'm', resources: { ...resources, dropped: ['a:1/s'] }, system: { onUnavailable: 'allow' } }),
    );
    await world.limits.setResource('changed', rpm);
    await world.limits.deleteResource('missing');
    await world.limits.deleteResource('made anew');
    await world.limits.setResource('made anew', rpm);
    await world.limits.setOnUnavailable(undefined);
    await world.limits.setResource('by hand', rpm);

    const drift = await diffManifest(world.parts, manifest({ name: 'm', resources, system: { onUnavailable: 'allow' } }));

    const one = [Limit.perSecond('a', 1)];
    expect(drift).toEqual([
      { kind: 'changed', target: 'resource/changed', level: expect.anything(), part: 'limits', expected: one, found: rpm },
      { kind: 'missing', target: 'resource/missing', level: expect.anything(), part: 'limits', expected: one },
      {
        kind: 'changed',
        target: 'resource/made%20anew'.replace('%20', ' '),
        level: expect.anything(),
        part: 'limits',
        expected: one,
        found: rpm,
      },
      { kind: 'missing', target: 'system/on-unavailable', level: { level: 'system' }, part: 'onUnavailable', expected: 'allow' },
      { kind: 'left-over', target: 'resource/dropped', level: expect.anything(), part: 'limits', found: one },
    ]);
  });

  it('is a mark that is gone, which the next apply puts back', async () => {
    const world = limitsWorld();
    await applyManifest(world.parts, api);
    const { managed: _, ...item } = world.item('ns1/r/api', 'limits') ?? {};
    world.table.put(item);

    expect(await diffManifest(world.parts, api)).toMatchObject([{ kind: 'unmarked', target: 'resource/api' }]);
    await applyManifest(world.parts, api);

    expect(await diffManifest(world.parts, api)).toEqual([]);
    expect(await world.limits.getResource('api')).toMatchObject({ managedBy: 'm' });
  });

  it('writes nothing, and reads a hundred levels at once', async () => {
    const world = limitsWorld();
    const entities = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`key-${index}`, { default: ['rpm:5/min'] }]));

    expect(await diffManifest(world.parts, manifest({ entities }))).toHaveLength(250);

    expect(world.transactions).toEqual([]);
    expect(world.reads()).toBe(1 + 3);
  });
});
