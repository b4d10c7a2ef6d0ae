import { zoneKey } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { interrupted, registryWorld, START_MS } from '../../test/registry-world.js';
import { readZone } from './namespace-zone.js';
import { Namespaces } from './namespaces.js';

const DAY_MS = 86_400_000;

describe('registering a namespace', () => {
  it('makes one with an id that tells nothing of its name', async () => {
    const { namespaces } = registryWorld();

    const acme = await namespaces.register('acme');

    expect(acme).toStrictEqual({
      name: 'acme',
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      state: 'active',
      createdAt: new Date(START_MS),
      zone: 'UTC',
    });
    expect(await namespaces.describe('acme')).toStrictEqual(acme);
    expect((await namespaces.register('acme2')).id).not.toBe(acme.id);
  });

  it('keeps the zone in which its days begin where the aggregator finds it, and shows it', async () => {
    const { namespaces, table } = registryWorld();

    const acme = await namespaces.register('acme', { zone: 'Asia/Kathmandu' });

    expect(acme.zone).toBe('Asia/Kathmandu');
    expect(await namespaces.describe('acme')).toStrictEqual(acme);
    expect((await namespaces.list()).namespaces).toStrictEqual([acme]);
    expect(await table.get([zoneKey(acme.id)])).toMatchObject([{ zone: 'Asia/Kathmandu' }]);
    expect(await readZone(table, acme.id)).toBe('Asia/Kathmandu');
    expect(await readZone(table, (await namespaces.register('other')).id)).toBe('UTC');
  });

  it('under another zone is refused, since what was counted by its days cannot be counted anew', async () => {
    const { namespaces } = registryWorld();
    await namespaces.register('acme', { zone: 'Europe/Berlin' });

    expect(await namespaces.register('acme')).toMatchObject({ zone: 'Europe/Berlin' });
    expect(await namespaces.register('acme', { zone: 'Europe/Berlin' })).toMatchObject({ zone: 'Europe/Berlin' });
    expect(await namespaces.register('acme', { zone: 'europe/berlin' })).toMatchObject({ zone: 'Europe/Berlin' });
    await expect(namespaces.register('acme', { zone: 'UTC' })).rejects.toMatchObject({
      code: 'NAMESPACE_STATE',
      message: expect.stringContaining('begin in Europe/Berlin, not in UTC'),
    });
  });

  it.each(['', 'Mars/Olympus', '+02:00', 7, null])('refuses %j for a zone, and writes nothing', async (zone) => {
    const { namespaces, table } = registryWorld();

    await expect(namespaces.register('acme', { zone: zone as string })).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(table.items()).toEqual([]);
  });

  it('again gives the same one, and writes nothing', async () => {
    const { namespaces, table } = registryWorld();
    const acme = await namespaces.register('acme');
    const before = table.items().length;

    expect(await namespaces.register('acme')).toStrictEqual(acme);
    expect(table.items()).toHaveLength(before);
  });

  it('by many at once makes one', async () => {
    const { namespaces } = registryWorld();

    const all = await Promise.all(Array.from({ length: 20 }, () => namespaces.register('acme')));

    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  });

  it('under the name of a deleted one is refused, and says what to do', async () => {
    const { namespaces } = registryWorld();
    await namespaces.register('acme');
    await namespaces.delete('acme');

    await expect(namespaces.register('acme')).rejects.toMatchObject({
      code: 'NAMESPACE_STATE',
      message: 'cannot register it: namespace "acme" is deleted; recover it, or purge it, which frees the name',
    });
  });
});

describe('listing namespaces', () => {
  it('gives every one once, of every state, a page at a time', async () => {
    const { namespaces } = registryWorld();
    const names = ['a', 'a/b', 'a%2Fb', 'b', 'é', '🦀', 'default'];
    for (const name of names) await namespaces.register(name);
    await namespaces.delete('b');

    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await namespaces.list({ pageSize: 2, ...(after === undefined ? {} : { after }) });
      expect(page.namespaces.length).toBeLessThanOrEqual(2);
      seen.push(...page.namespaces.map(({ name, state }) => `${name} ${state}`));
      after = page.next;
    } while (after !== undefined);

    expect(seen.sort()).toEqual(names.map((name) => `${name} ${name === 'b' ? 'deleted' : 'active'}`).sort());
  });
});

describe('a deleted namespace', () => {
  it('keeps all that it holds, and says when it was deleted', async () => {
    const world = registryWorld();
    const { id } = await world.namespaces.register('acme');
    world.furnish(id, ['key-1']);
    const before = world.others('_', `${id}/s`);
    world.nowMs += DAY_MS;

    const deleted = await world.namespaces.delete('acme');

    expect(deleted).toMatchObject({ state: 'deleted', deletedAt: new Date(START_MS + DAY_MS), createdAt: new Date(START_MS) });
    expect(await world.namespaces.describe('acme')).toStrictEqual(deleted);
    expect(world.others('_', `${id}/s`)).toBe(before);
  });

  it('is closed for limiters that have it open, and its system limits stay (the peer: other processes keep writing to it, W-45)', async () => {
    const world = registryWorld();
    const { id } = await world.namespaces.register('acme');
    world.table.put({ PK: `${id}/s`, SK: 'limits', v: 1, ver: START_MS + DAY_MS, limits: [{ name: 'rpm' }], unavailable: 'allow' });

    await world.namespaces.delete('acme');

    expect(world.system(id)).toMatchObject({ closed: true, ver: START_MS + DAY_MS + 1, limits: [{ name: 'rpm' }], unavailable: 'allow' });
    expect(world.system(id)).not.toHaveProperty('ttl');
  });

  it('can be recovered as it was', async () => {
    const world = registryWorld();
    const acme = await world.namespaces.register('acme');
    world.table.put({ PK: `${acme.id}/s`, SK: 'limits', v: 1, ver: 5, limits: [{ name: 'rpm' }] });
    await world.namespaces.delete('acme');
    const closedAs = Number(world.system(acme.id)?.['ver']);

    expect(await world.namespaces.recover('acme')).toStrictEqual(acme);
    expect(await world.namespaces.describe('acme')).toStrictEqual(acme);
    expect(world.system(acme.id)).toMatchObject({ limits: [{ name: 'rpm' }], ver: closedAs + 1 });
    expect(world.system(acme.id)).not.toHaveProperty('closed');
  });

  it('that had no system level leaves a tombstone when it is recovered, so that its version goes on growing', async () => {
    const world = registryWorld();
    const { id } = await world.namespaces.register('acme');
    await world.namespaces.delete('acme');
    await world.namespaces.recover('acme');

    expect(world.system(id)).toMatchObject({ deleted: true, ver: START_MS + 1, ttl: START_MS / 1000 + 30 * 86_400 });
    expect(world.system(id)).not.toHaveProperty('closed');
  });

  it('may be deleted again, and an active one recovered: nothing is written', async () => {
    const world = registryWorld();
    await world.namespaces.register('acme');
    const deleted = await world.namespaces.delete('acme');
    const before = world.others();

    expect(await world.namespaces.delete('acme')).toStrictEqual(deleted);
    expect(world.others()).toBe(before);
    const recovered = await world.namespaces.recover('acme');
    expect(await world.namespaces.recover('acme')).toStrictEqual(recovered);
  });

  it('is the one that has the name when it is written, not one that had it when it was read', async () => {
    const world = registryWorld();
    const first = await world.namespaces.register('acme');
    const another = interrupted(world.table, 'transact', async () => {
      await world.namespaces.delete('acme');
      await world.namespaces.purge('acme');
      await world.namespaces.register('acme');
    });

    const deleted = await world.through(another).delete('acme');

    expect(deleted.id).not.toBe(first.id);
    expect(await world.namespaces.describe('acme')).toStrictEqual(deleted);
    expect(world.system(deleted.id)).toMatchObject({ closed: true });
  });

  it('is told to the caches of this process, whichever namespace it is: a limiter of it may be open here', async () => {
    const world = registryWorld();
    const { id } = await world.namespaces.register('acme');
    const other = await world.namespaces.register('other');
    const told: unknown[] = [];
    const onChange = (refs: readonly unknown[], namespaceId?: string) => void told.push([namespaceId, ...refs]);
    const namespaces = new Namespaces({ ...world.parts, namespaceId: id, onChange });

    await namespaces.delete('other');
    await namespaces.delete('acme');

    expect(told).toEqual([
      [other.id, { level: 'system' }],
      [id, { level: 'system' }],
    ]);
  });
});

describe('a step that a namespace is not in the state for', () => {
  it.each(['delete', 'recover', 'purge'] as const)('%s of none is refused by its name', async (step) => {
    const { namespaces } = registryWorld();

    await expect(namespaces[step]('acme')).rejects.toMatchObject({
      code: 'NAMESPACE_NOT_FOUND',
      message: expect.stringContaining('"acme"'),
    });
    expect(await namespaces.describe('acme')).toBeUndefined();
  });

  it('purging an active one is refused', async () => {
    const { namespaces } = registryWorld();
    await namespaces.register('acme');

    await expect(namespaces.purge('acme')).rejects.toMatchObject({
      code: 'NAMESPACE_STATE',
      message: expect.stringContaining('delete it first'),
    });
  });

  it.each(['register', 'delete', 'recover'] as const)('%s of one that is being purged is refused', async (step) => {
    const world = registryWorld();
    const { namespaces } = world;
    world.furnish((await namespaces.register('acme')).id, ['key-1']);
    await namespaces.delete('acme');
    const stop = () => {
      throw new Error('stop');
    };
    await expect(namespaces.purge('acme', { onProgress: stop })).rejects.toThrow('stop');

    await expect(namespaces[step]('acme')).rejects.toMatchObject({
      code: 'NAMESPACE_STATE',
      message: expect.stringContaining('is being purged'),
    });
    expect(await namespaces.describe('acme')).toMatchObject({ state: 'purging' });
  });

  it.each<[string, (from: ReturnType<typeof registryWorld>) => unknown, string]>([
    ['a name that is none', ({ namespaces }) => namespaces.register(''), 'namespace'],
    ['a name that cannot be printed', ({ namespaces }) => namespaces.delete('a\nb'), 'namespace'],
    ['a name that is no text', ({ namespaces }) => namespaces.describe(5 as never), 'namespace'],
    ['an option that nobody reads', ({ namespaces }) => namespaces.recover('acme', { acter: 'me' } as never), 'options key'],
    ['an actor without a name', ({ namespaces }) => namespaces.register('acme', { actor: '' }), 'option "actor"'],
    ['a page without room', ({ namespaces }) => namespaces.list({ pageSize: 0 }), 'option "pageSize"'],
    ['a batch without room', ({ namespaces }) => namespaces.purge('acme', { batchSize: 0 }), 'option "batchSize"'],
    ['progress that cannot be called', ({ namespaces }) => namespaces.purge('acme', { onProgress: 1 as never }), 'option "onProgress"'],
    ['options that are none', ({ namespaces }) => namespaces.purge('acme', null as never), 'options'],
  ])('%s is refused before anything is read', async (_, call, subject) => {
    const world = registryWorld();
    const unread = { ...world, namespaces: world.through(new Proxy(world.table, { get: (_target, name) => neverCalled(String(name)) })) };

    await expect(call(unread)).rejects.toMatchObject({ name: 'ValidationError', subject });
  });
});

function neverCalled(name: string): never {
  throw new Error(`${name} was called`);
}
