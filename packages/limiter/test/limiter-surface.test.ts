import { Limit, RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openTable } from './open-table.js';

describe('a limiter', () => {
  let opened: OpenTable;

  beforeAll(async () => {
    opened = await openTable();
  });

  afterAll(() => opened?.close());

  it('obeys at once what it has written itself', async () => {
    const limiter = await opened.open();
    await limiter.limits.setResource('own', [Limit.perMinute('rpm', 1)]);
    await limiter.acquire('key', 'own', { rpm: 1 });
    await limiter.limits.setEntity('key', 'own', [Limit.perMinute('rpm', 5)]);

    expect(await limiter.available('key', 'own')).toEqual({ rpm: 4 });
    await limiter.entities.create('above');
    await limiter.entities.create('key', { parent: 'above', cascade: true });
    await limiter.acquire('key', 'own', { rpm: 1 });
    expect(await limiter.available('above', 'own')).toEqual({ rpm: 0 });
    await limiter.entities.disable('key', { reason: 'unpaid' });
    await expect(limiter.acquire('key', 'own', { rpm: 1 })).rejects.toMatchObject({ code: 'ENTITY_DISABLED', reason: 'unpaid' });
  });

  it('of another namespace shares connection, caches and counters, and nothing that is stored', async () => {
    const limiter = await opened.open();
    await limiter.namespaces.register('tenant');
    await limiter.limits.setSystem([Limit.perMinute('rpm', 10)]);
    const tenant = await limiter.namespace('tenant');

    await expect(tenant.acquire('user', 'shared', { rpm: 1 })).rejects.toMatchObject({ code: 'VALIDATION' });
    await tenant.limits.setSystem([Limit.perMinute('rpm', 3)]);
    await limiter.acquire('user', 'shared', { rpm: 4 });
    expect([await limiter.available('user', 'shared'), await tenant.available('user', 'shared')]).toEqual([{ rpm: 6 }, { rpm: 3 }]);
    expect(tenant.stats()).toEqual(limiter.stats());
    expect({ ...tenant.cacheStats(), ageMs: 0 }).toEqual({ ...limiter.cacheStats(), ageMs: 0 }); // its age is read a moment apart
    await tenant.close();
    expect(await limiter.available('user', 'shared')).toEqual({ rpm: 6 });
    await expect(tenant.available('user', 'shared')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(limiter.namespace('nobody')).rejects.toMatchObject({ code: 'NAMESPACE_NOT_FOUND' });
  });

  it('refuses on a namespace that another limiter of this process has deleted', async () => {
    const limiter = await opened.open();
    await limiter.namespaces.register('doomed');
    const doomed = await limiter.namespace('doomed');
    await doomed.limits.setSystem([Limit.perMinute('rpm', 3)]);
    await doomed.acquire('user', 'model', { rpm: 1 });

    await limiter.namespaces.delete('doomed');

    await expect(doomed.acquire('user', 'model', { rpm: 1 })).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
    await expect(limiter.namespace('doomed')).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
  });

  it('says whether its table answers, and throws for nothing but a wrong call', async () => {
    const limiter = await opened.open();
    const { client } = opened;
    const dead = await RateLimiter.open({ table: opened.table, client: { ...client, send: client.send.bind(client) } as never });
    expect([await limiter.isAvailable(), await limiter.isAvailable(5_000)]).toEqual([true, true]);
    await expect(limiter.isAvailable(0)).rejects.toMatchObject({ code: 'VALIDATION' });
    await dead.close();
    await expect(dead.isAvailable()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('follows what is stored for when its table cannot be reached, and then says that its leases are degraded', async () => {
    const limiter = await opened.open();
    await limiter.limits.setResource('fragile', [Limit.perMinute('rpm', 10)]);
    await limiter.limits.setOnUnavailable('allow');
    let isBroken = false;
    const { client } = opened;
    const send = (...args: unknown[]) =>
      isBroken
        ? Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
        : (client.send as (...all: unknown[]) => unknown)(...args);
    const fragile = await RateLimiter.open({
      table: opened.table,
      client: new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) }) as never,
    });
    await fragile.acquire('user', 'fragile', { rpm: 1 });
    isBroken = true;

    expect((await fragile.acquire('user', 'fragile', { rpm: 1 })).degraded).toBe(true);
    expect(await fragile.isAvailable()).toBe(false);
    await expect(fragile.acquire('user', 'fragile', { rpm: 1 }, { onUnavailable: 'block' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await fragile.close();
  });
});
