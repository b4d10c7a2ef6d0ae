import { type ConfigRef, Limit } from '@millrace/core';
import type { RateLimiter } from '@millrace/limiter';
import { administrationOf } from '@millrace/limiter/admin';
import { MemoryStore } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../src/dynamo/client.js';
import { SdkTransport } from '../src/dynamo/sdk-transport.js';
import { Sender } from '../src/dynamo/sender.js';
import { DynamoStore } from '../src/wire/dynamo-store.js';
import { type OpenTable, openTable } from './open-table.js';

const HOSTILE = ['a/b', '%2F', 'limits/x', 'key ~!@#$^&*()', '😀', 'مفتاح'] as const;

describe('the configuration that administration has written', () => {
  let opened: OpenTable;
  let limiter: RateLimiter;
  let store: DynamoStore;
  let namespaceId: string;
  let close: () => void;

  beforeAll(async () => {
    opened = await openTable();
    limiter = await opened.open();
    ({ namespaceId } = administrationOf(limiter));
    const connection = await connect(opened.connection, opened.table);
    close = () => connection.close();
    store = new DynamoStore(new SdkTransport(new Sender(connection.client, opened.table, 5_000, () => undefined)), opened.table);
  });

  afterAll(async () => {
    close?.();
    await opened?.close();
  });

  it.each(['fresh', 'eventual'] as const)('is what the engine reads, in the order that it asks for, %s', async (consistency) => {
    await limiter.limits.setSystem([Limit.perMinute('rpm', 1)]);
    await limiter.limits.setOnUnavailable('allow');
    await limiter.limits.setResource('model', [Limit.perDay('tpd', 3, { reserve: 0 })]);
    await limiter.entities.disable('key', { reason: 'unpaid' });
    const refs: ConfigRef[] = [
      { level: 'resource', resource: 'model' },
      { level: 'lineage', entity: 'key' },
      { level: 'entity-default', entity: 'key' },
      { level: 'resource', resource: 'none' },
      { level: 'system' },
    ];

    const entries = await store.readConfig(namespaceId, refs, consistency);

    expect(entries).toMatchObject([
      { record: { limits: [{ name: 'tpd', capacity: 3, reserve: 0, periodMs: 86_400_000 }] } },
      {},
      { record: { control: { mode: 'disabled', reason: 'unpaid' } } },
      {},
      { record: { limits: [{ name: 'rpm', refill: 1 }], onUnavailable: 'allow' } },
    ]);
    expect([entries[1], entries[3]]).toEqual([{}, {}]);
  });

  it('is told apart by names of any printable characters', async () => {
    for (const [index, entity] of HOSTILE.entries()) {
      for (const [at, resource] of HOSTILE.entries())
        await limiter.limits.setEntity(entity, resource, [Limit.perMinute('rpm', 1 + index * 10 + at)]);
    }
    const pairs = HOSTILE.flatMap((entity, index) => HOSTILE.map((resource, at) => ({ entity, resource, tokens: 1 + index * 10 + at })));

    const entries = await store.readConfig(
      namespaceId,
      pairs.map(({ entity, resource }) => ({ level: 'entity', entity, resource })),
      'fresh',
    );

    expect(entries.map(({ record }) => record?.limits?.[0]?.refill)).toEqual(pairs.map(({ tokens }) => tokens));
  });

  it('reads the same from the memory store', async () => {
    const refs: ConfigRef[] = [{ level: 'system' }, { level: 'lineage', entity: 'family' }, { level: 'resource', resource: 'model' }];
    await limiter.entities.create('family');
    const stored = await store.readConfig(namespaceId, refs, 'fresh');
    const memory = new MemoryStore();
    for (const [index, ref] of refs.entries()) memory.setConfig(namespaceId, ref, stored[index]);

    expect(await memory.readConfig(namespaceId, refs)).toEqual(stored);
    expect(await memory.readConfig('other', refs)).toEqual([{}, {}, {}]);
  });
});
