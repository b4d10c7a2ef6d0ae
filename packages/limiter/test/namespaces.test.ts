import { Limit, type RateLimiter } from '@millrace/limiter';
import { type OpenNamespaces, openNamespaces } from '@millrace/limiter/admin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openTable } from './open-table.js';

/** Names that make the same keys wherever names themselves are put into keys, and are told apart only by escaping. */
const HOSTILE = ['a', 'a/', 'a/e/x', 'a%2F', 'a%252F', '_', '_/namespaces', 'A', '%', '/', ' ', '#', 'é', 'e\u0301', '🦀', 'مرحبا'];
const limits = [Limit.perMinute('rpm', 10)];

let table: OpenTable;
let registry: OpenNamespaces;
beforeAll(async () => {
  table = await openTable();
  registry = await openNamespaces({ ...table.connection, actor: 'ada' });
});
afterAll(async () => {
  await registry.close();
  await table.close();
});

/** A namespace that was just registered, with a limiter on it. */
async function fresh(name: string, options: Parameters<OpenTable['open']>[0] = {}): Promise<RateLimiter> {
  await registry.namespaces.register(name);
  return table.open({ namespace: name, ...options });
}

describe('namespaces with names made to collide', () => {
  it('never see each other: entities, limits, buckets and events', async () => {
    const limiters = new Map<string, RateLimiter>();
    for (const name of HOSTILE) limiters.set(name, await fresh(name));
    const entityOf = (name: string) => (name.length % 2 === 0 ? 'x' : name);

    for (const [index, name] of HOSTILE.entries()) {
      const limiter = limiters.get(name);
      await limiter?.entities.create(`only-${index}`);
      await limiter?.entities.create(entityOf(name));
      await limiter?.limits.setEntity(entityOf(name), 'api', [Limit.perMinute('rpm', index + 1)]);
      for (let taken = 0; taken <= index % 3; taken += 1) await limiter?.acquire('shared', 'api', { rpm: 1 }, { limits });
    }

    for (const [index, name] of HOSTILE.entries()) {
      const limiter = limiters.get(name);
      expect(await limiter?.entities.get(`only-${index}`)).toMatchObject({ id: `only-${index}` });
      expect(await limiter?.entities.get(`only-${(index + 1) % HOSTILE.length}`)).toBeUndefined();
      expect((await limiter?.entities.list())?.ids).toHaveLength(2);
      expect((await limiter?.limits.getEntity(entityOf(name), 'api'))?.limits[0]?.capacity).toBe(index + 1);
      expect(await limiter?.available('shared', 'api', { limits })).toEqual({ rpm: 10 - 1 - (index % 3) });
      expect((await limiter?.audit.list())?.events).toHaveLength(3);
    }
  });

  it('are purged one by one, and the others stay as they are', async () => {
    const [doomed, ...others] = ['p', 'p/', 'p%2F', 'P'];
    for (const name of [doomed ?? '', ...others]) {
      const limiter = await fresh(name);
      await limiter.entities.create('key');
      await limiter.acquire('key', 'api', { rpm: 3 }, { limits });
    }
    await registry.namespaces.delete('p');

    const { deleted } = await registry.namespaces.purge('p');

    expect(deleted).toBeGreaterThan(3);
    expect(await registry.namespaces.describe('p')).toBeUndefined();
    for (const name of others) {
      const limiter = await table.open({ namespace: name });
      expect(await limiter.entities.get('key')).toMatchObject({ id: 'key' });
      expect(await limiter.available('key', 'api', { limits })).toEqual({ rpm: 7 });
    }
  });
});

describe('a deleted namespace', () => {
  it('cannot be opened, and is as it was when it is recovered', async () => {
    const limiter = await fresh('gone');
    await limiter.limits.setSystem(limits);
    await limiter.acquire('key', 'api', { rpm: 4 });

    await registry.namespaces.delete('gone');
    await expect(table.open({ namespace: 'gone' })).rejects.toMatchObject({
      code: 'NAMESPACE_STATE',
      message: expect.stringContaining('"gone"'),
    });
    await expect(limiter.namespace('gone')).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });

    await registry.namespaces.recover('gone');
    const again = await table.open({ namespace: 'gone' });
    expect((await again.limits.getSystem())?.limits[0]).toMatchObject({ name: 'rpm', capacity: 10 });
    expect(await again.available('key', 'api')).toEqual({ rpm: 6 });
  });

  it('is refused by limiters that have it open, once they read its configuration again (the peer: they go on writing, W-45)', async () => {
    let nowMs = Date.now();
    const limiter = await fresh('open', { clock: { nowMs: () => nowMs }, configTtlMs: 60_000 });
    await limiter.limits.setSystem(limits);
    await limiter.acquire('key', 'api', { rpm: 1 });

    await registry.namespaces.delete('open');
    nowMs += 61_000;

    await expect(limiter.acquire('key', 'api', { rpm: 1 })).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
    await registry.namespaces.purge('open');
    nowMs += 61_000;
    await expect(limiter.acquire('key', 'api', { rpm: 1 })).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
  });

  it('takes no limits and no entities any more from a limiter that has it open, as soon as it is deleted', async () => {
    const limiter = await fresh('fenced');
    await limiter.entities.create('key');
    await limiter.entities.move('key', { parent: null, cascade: false });
    await limiter.limits.setResource('api', limits);
    const writes = [
      () => limiter.entities.create('late'),
      () => limiter.entities.delete('key'),
      () => limiter.limits.setResource('late', limits),
      () => limiter.limits.setSystem(limits),
      () => limiter.limits.setOnUnavailable('allow'),
      () => limiter.entities.disable('key'),
      () => limiter.usage.seal({ resource: 'api', type: 'hour', start: new Date('2026-01-01T00:00:00Z') }),
    ];

    await registry.namespaces.delete('fenced');
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
    await registry.namespaces.recover('fenced');
    expect((await limiter.limits.listResources()).names).toEqual(['api']);
    expect((await limiter.entities.list()).ids).toEqual(['key']);
    await limiter.entities.create('later');
    await registry.namespaces.delete('fenced');
    await registry.namespaces.purge('fenced');
    await registry.namespaces.register('fenced');

    for (const write of writes.filter((_, index) => index !== 1)) await expect(write()).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
    expect((await limiter.entities.list()).ids).toEqual([]);
    expect((await limiter.audit.list()).events).toEqual([]);
  });

  it('is refused at once by the process that deleted it', async () => {
    const limiter = await fresh('mine');
    await limiter.limits.setSystem(limits);
    await limiter.acquire('key', 'api', { rpm: 1 });

    await limiter.namespaces.delete('mine');

    await expect(limiter.acquire('key', 'api', { rpm: 1 })).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
  });
});

describe('the registry, opened alone', () => {
  it('says who did what, for the whole table', async () => {
    await registry.namespaces.register('told');
    await registry.namespaces.delete('told', { actor: 'bob' });

    const { events } = await registry.audit.list({ subject: 'namespace/told' });

    expect(events.map(({ action, actor }) => [action, actor])).toEqual([
      ['namespace.delete', 'bob'],
      ['namespace.register', 'ada'],
    ]);
  });

  it('refuses calls once it is closed, options that nobody reads, and a table that is not there', async () => {
    const closed = await openNamespaces(table.connection);
    await closed.close();

    await expect(closed.namespaces.list()).rejects.toMatchObject({ code: 'CLOSED', message: expect.stringContaining('list namespaces') });
    await expect(openNamespaces({ ...table.connection, namespace: 'a' } as never)).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(openNamespaces({ ...table.connection, table: 'nowhere' })).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
  });
});
