import { Limit, RateLimiter } from '@millrace/limiter';
import { openNamespaces } from '@millrace/limiter/admin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openTable } from './open-table.js';

let opened: OpenTable;
let limiter: RateLimiter;
beforeAll(async () => {
  opened = await openTable();
  limiter = await opened.open();
  await limiter.entities.create('org');
  await limiter.entities.create('key-1', { parent: 'org' });
  await limiter.entities.create('key-2', { parent: 'org' });
});
afterAll(() => opened?.close());

describe('an error of administration', () => {
  it('names the entity that it is about, its child or how many it has', async () => {
    const { entities } = limiter;
    const refusals: readonly [() => Promise<unknown>, string, object][] = [
      [() => entities.create('org'), 'ENTITY_EXISTS', { entity: 'org' }],
      [() => entities.create('new', { parent: 'nobody' }), 'ENTITY_NOT_FOUND', { entity: 'nobody', child: 'new' }],
      [() => entities.move('nobody', { parent: null }), 'ENTITY_NOT_FOUND', { entity: 'nobody' }],
      [() => entities.move('key-1', { parent: 'nobody' }), 'ENTITY_NOT_FOUND', { entity: 'nobody', child: 'key-1' }],
      [() => entities.delete('nobody'), 'ENTITY_NOT_FOUND', { entity: 'nobody' }],
      [() => entities.delete('org'), 'ENTITY_HAS_CHILDREN', { entity: 'org', children: 2 }],
    ];
    for (const [refusal, code, data] of refusals) {
      const error = await refusal().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'MillraceError', code });
      expect((error as { data: unknown }).data).toStrictEqual(data);
    }
  });

  it('names the namespace that it is about, with its id and its state', async () => {
    const { table } = opened.connection;
    await using registry = await openNamespaces(opened.connection);
    const { namespaces } = registry;
    const { id } = await namespaces.register('told', { zone: 'Europe/Berlin' });
    const own = await opened.open({ namespace: 'told' });
    const said = { namespace: 'told', namespaceId: id };

    await expect(namespaces.register('told', { zone: 'UTC' })).rejects.toMatchObject({ data: { ...said, zone: 'Europe/Berlin' } });
    await expect(namespaces.purge('told')).rejects.toMatchObject({ code: 'NAMESPACE_STATE', data: { ...said, state: 'active' } });
    await expect(namespaces.delete('nobody')).rejects.toMatchObject({ code: 'NAMESPACE_NOT_FOUND', data: { namespace: 'nobody' } });
    await expect(opened.open({ namespace: 'nobody' })).rejects.toMatchObject({ data: { table, namespace: 'nobody' } });
    await namespaces.delete('told');
    await expect(opened.open({ namespace: 'told' })).rejects.toMatchObject({ data: { table, ...said, state: 'deleted' } });
    await expect(own.limits.setSystem([Limit.perMinute('rpm', 1)])).rejects.toMatchObject({
      code: 'NAMESPACE_STATE',
      data: { namespaceId: id },
    });
    await expect(own.acquire('key', 'api', { rpm: 1 })).rejects.toMatchObject({ code: 'NAMESPACE_STATE', data: { namespaceId: id } });
  });

  it('names the table that it is about', async () => {
    const elsewhere = { ...opened.connection, table: 'elsewhere' };

    await expect(RateLimiter.open(elsewhere)).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND', data: { table: 'elsewhere' } });
  });

  it('names the window that is not sealed', async () => {
    const start = new Date('2026-01-01T00:00:00Z');

    await expect(limiter.usage.checkSeal({ resource: 'gpt', type: 'hour', start })).rejects.toMatchObject({
      code: 'NOT_SEALED',
      data: { resource: 'gpt', type: 'hour', startMs: start.getTime() },
    });
  });
});

describe('a limiter that is closed', () => {
  it('says what was asked of it', async () => {
    const closed = await opened.open();
    await closed.close();

    await expect(closed.acquire('key', 'api', { rpm: 1 })).rejects.toMatchObject({ code: 'CLOSED', operation: 'acquire' });
    await expect(closed.entities.get('key')).rejects.toMatchObject({ code: 'CLOSED', operation: 'get an entity' });
  });
});

describe('a lease that was settled', () => {
  it('says how, and what was asked of it', async () => {
    const lease = await limiter.acquire('key-1', 'api', { rpm: 1 }, { limits: [Limit.perMinute('rpm', 10)] });
    await lease.commit();

    await expect(lease.adjust({ rpm: 1 })).rejects.toMatchObject({ code: 'LEASE_SETTLED', operation: 'adjust', settledAs: 'committed' });
  });
});
