import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { usageKey, type WindowRef } from '@millrace/core';
import { DEFAULT_RETENTION, reduceSteps, stepOf } from '@millrace/ledger';
import { Limit, RateLimiter } from '@millrace/limiter';
import { administrationOf, type ItemTable } from '@millrace/limiter/admin';
import { installedEngines, type LocalEngine, launchEngine, MemoryTable } from '@millrace/testing';
import { describeWindowStore } from '@millrace/testing/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { windowsIn } from '../src/usage/book.js';
import { windowOfItem } from '../src/usage/read-windows.js';
import { type EngineTable, tableOn } from './engine-table.js';
import { sums } from './usage-books.js';
import { UsageWorld } from './usage-world.js';

/** The store that repairs write through, readable. */
function storeIn(items: ItemTable) {
  const read = async (ref: WindowRef) => {
    const [item] = await items.get([usageKey(ref)]);
    return item === undefined ? undefined : windowOfItem(item);
  };
  return { ...windowsIn({ items }, DEFAULT_RETENTION), read };
}

describeWindowStore('repairs in memory', async () => ({ store: storeIn(new MemoryTable()), close: async () => undefined }));

const engines = (await installedEngines()).filter(({ available }) => available);

describe.each(engines)('usage on $name', ({ name }) => {
  let engine: LocalEngine;
  let own: EngineTable;
  let limiter: RateLimiter;
  beforeAll(async () => {
    engine = await launchEngine({ engine: name });
    own = await tableOn(engine);
    limiter = await RateLimiter.open({ table: own.table, ...own.connection });
  });
  afterAll(async () => {
    await limiter.close();
    await own.close();
    await engine.close();
  });

  describeWindowStore('repairs', async () => {
    const table = await tableOn(engine);
    const own = await RateLimiter.open({ table: table.table, ...table.connection });
    const close = async () => {
      await own.close();
      await table.close();
    };
    return { store: storeIn(administrationOf(own).items), close };
  });

  it('is verified, repaired, ranked and sealed through DynamoDB as it is in memory', async () => {
    const world = new UsageWorld({ table: administrationOf(limiter).items });
    await world.at('2027-05-10T10:10:00Z').use({ used: 10 });
    await world.lose({ used: 5 });
    await world.at('2027-05-10T12:10:00Z').use({ used: 20 });
    await world.use({ used: 3, entity: 'key-2' });

    expect(await world.usage.verify({ entity: 'key-1' })).toMatchObject({
      clean: false,
      found: [{ kind: 'gap', type: 'hour', used: 5, after: new Date('2027-05-10T10:00Z'), window: new Date('2027-05-10T12:00Z') }],
    });
    expect(await Promise.all([world.usage.repair(), world.usage.repair()])).toMatchObject([{ clean: true }, { clean: true }]);
    expect(await world.usage.verify()).toMatchObject({ clean: true, entities: 2, found: [], inFlight: [] });
    expect(await sums(world)).toEqual([35, 35, 35, 35]);

    const top = () => world.usage.top({ resource: 'gpt-4', type: 'day', start: new Date('2027-05-10'), limitName: 'rpm' });
    await expect
      .poll(async () => (await top()).entities.map(({ entity, net }) => `${entity} ${net}`), { timeout: 20_000, interval: 20 })
      .toEqual(['key-1 35', 'key-2 3']);
    world.at('2027-05-13');
    const day = { resource: 'gpt-4', type: 'day', start: new Date('2027-05-10') } as const;
    expect(await world.usage.seal(day)).toMatchObject({ totals: { rpm: { net: 38 } }, entities: 2 });
    expect(await world.usage.checkSeal(day)).toMatchObject({ intact: true });
    expect(
      await world.usage.snapshots({ entity: 'key-1', type: 'hour', from: new Date('2027-05-10'), to: new Date('2027-05-11'), pageSize: 1 }),
    ).toMatchObject({
      snapshots: [{ limits: { rpm: { net: 10 } } }],
      next: 'hour/gpt-4/2027-05-10T10:00:00Z',
    });
  });

  it('of what was really acquired is what the buckets say, live, and the ledger once it is booked', async () => {
    const { items, namespaceId } = administrationOf(limiter);
    await limiter.limits.setResource('api', [Limit.perMinute('rpm', 100), Limit.perMinute('tpm', 1_000)]);
    await limiter.entities.create('project');
    await limiter.entities.create('app', { parent: 'project', cascade: true });
    for (let index = 0; index < 5; index += 1) {
      const lease = await limiter.acquire('app', 'api', { rpm: 1, tpm: 20 });
      await lease.adjust({ tpm: 5 });
      await (index === 4 ? lease.release() : lease.commit());
    }

    const current = await limiter.usage.current({ entity: 'app' });
    expect(current).toMatchObject([{ resource: 'api', limits: { rpm: { net: 4 }, tpm: { net: 100 } } }]);
    expect(current[0]?.limits['rpm']?.available).toBeLessThanOrEqual(100);
    expect(await limiter.usage.current({ entity: 'project', resource: 'api' })).toMatchObject([
      { limits: { rpm: { net: 4 }, tpm: { net: 100 } } },
    ]);
    expect(await limiter.usage.verify({ entity: 'app', settleMs: 0 })).toMatchObject({ clean: true, inFlight: [{ net: 4 }, { net: 100 }] });

    const [newImage] =
      (await own.client.send(new ScanCommand({ TableName: own.table }))).Items?.filter(
        (item) => item['PK']?.S === `${namespaceId}/b/app/0`,
      ) ?? [];
    const step = stepOf({ eventId: '1', atMs: Date.now(), newImage: newImage as never, isExpiry: false });
    for (const change of reduceSteps(step === undefined ? [] : [step], () => 'UTC', ['hour', 'day', 'week', 'month'])) {
      await windowsIn({ items }, DEFAULT_RETENTION).widen(change);
    }
    expect(await limiter.usage.verify({ entity: 'app', settleMs: 0 })).toMatchObject({ clean: true, inFlight: [] });
    const hour = Date.now() - 3_600_000;
    expect(
      await limiter.usage.summary({ entity: 'app', from: new Date(hour), to: new Date(hour + 2 * 3_600_000), type: 'hour' }),
    ).toMatchObject({
      resources: { api: { rpm: { net: 4 }, tpm: { net: 100 } } },
    });
  });
});
