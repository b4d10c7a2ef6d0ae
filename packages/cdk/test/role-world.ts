import { DeleteItemCommand, DynamoDBClient, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { awsHandler, environmentOf } from '@millrace/aggregator-lambda';
import { USAGE_SOURCES, usagePartition, windowAttribute } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable, migrate, openNamespaces, tableStatus } from '@millrace/limiter/admin';
import { applyManifest, diffManifest, manifest } from '@millrace/limits';
import { EngineStream, launchEngine, StreamPump } from '@millrace/testing';
import { type RecordedAction, recordingClient } from './recorded-request.js';

const BILLING = { resources: ['gpt-4'], maxDelayMs: 0 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A table on a local engine, and everything that each role of use may do with it, recorded. */
export async function roleWorld() {
  const engine = await launchEngine();
  const { endpoint, region, credentials } = engine;
  const connection = { endpoint, region, credentials };
  const table = 'millrace';
  await createTable({ table, ...connection });
  const owner = await RateLimiter.open({ table, ...connection });
  await owner.limits.setSystem([Limit.perMinute('rpm', 60)]);
  await owner.entities.create('org-1');
  await owner.entities.create('project-1', { parent: 'org-1', cascade: true });
  await owner.entities.create('key-1', { parent: 'project-1', cascade: true });
  const dynamo = new DynamoDBClient(connection);
  const stream = await EngineStream.open(engine, table);
  const environment = environmentOf({ MILLRACE_TABLE: table, AWS_REGION: region });
  const pump = new StreamPump({ source: stream, handler: awsHandler(environment, { dynamo, write: () => undefined }) });
  const { id } = (await owner.namespaces.describe('default')) ?? { id: '' };

  /** Records what a piece of work sends. */
  async function record(work: (client: DynamoDBClient) => Promise<void>): Promise<readonly RecordedAction[]> {
    const { client, recorded } = recordingClient(connection);
    try {
      await work(client);
    } finally {
      client.destroy();
    }
    return recorded;
  }

  return {
    /** The id of the namespace that all of it is in, but for what is done to namespaces. */
    namespaceId: id,
    /** A service. */
    acquire: () => record((client) => serve(table, client)),
    /** A service that bills, and another process of it that bills the same again. */
    bill: () => record((client) => bill(table, client)),
    /** A dashboard, or a report. */
    read: () => record((client) => report(table, client)),
    /** An operator of one namespace, who also finds books to repair: of what was acquired, and of what was billed. */
    async administer() {
      await pump.drain();
      for (const source of USAGE_SOURCES) await damage(dynamo, table, usagePartition(id, 'key-1', source));
      return record((client) => administer(table, client));
    },
    /** An operator of the table: its namespaces and its schema. */
    administerTable: () => record((client) => administerTable(table, client)),
    async close() {
      stream.close();
      dynamo.destroy();
      await owner.close();
      await engine.close();
    },
  };
}

async function serve(table: string, client: DynamoDBClient): Promise<void> {
  const limiter = await RateLimiter.open({ table, client });
  const lease = await limiter.acquire('key-1', 'gpt-4', { rpm: 2 });
  await lease.adjust({ rpm: 1 });
  await lease.adjust({ rpm: -1 });
  await lease.commit();
  await (await limiter.acquire('key-1', 'gpt-4', { rpm: 1 })).release();
  const verdict = await limiter.tryAcquire('key-1', 'gpt-4', { rpm: 60 });
  if (verdict.allowed) throw new Error('this bucket holds less');
  await limiter.available('key-1', 'gpt-4');
  await limiter.timeUntilAvailable('key-1', 'gpt-4', { rpm: 5 });
  await limiter.explain('key-1', 'gpt-4');
  await limiter.isAvailable();
  // Limits that have changed meanwhile are read again, and the bucket follows.
  await limiter.acquire('key-1', 'gpt-4', { rpm: 1 }, { limits: [Limit.perMinute('rpm', 90)] });
  await limiter.close();
}

async function bill(table: string, client: DynamoDBClient): Promise<void> {
  for (const times of [1, 2]) {
    await using limiter = await RateLimiter.open({ table, client, billing: BILLING });
    await limiter.withLease('key-1', 'gpt-4', { rpm: 2 }, () => undefined, { idempotencyKey: 'job-1' });
    await limiter.flush();
    if (limiter.stats().events?.repeated !== times - 1) throw new Error('a repetition must be found, and only that');
  }
}

async function report(table: string, client: DynamoDBClient): Promise<void> {
  const limiter = await RateLimiter.open({ table, client });
  const today = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  const tomorrow = new Date(today.getTime() + DAY_MS);
  const day = { entity: 'key-1', from: today, to: tomorrow } as const;
  await limiter.available('key-1', 'gpt-4');
  await limiter.explain('key-1', 'gpt-4');
  await limiter.entities.get('key-1');
  await limiter.entities.list();
  await limiter.entities.children('project-1');
  await limiter.entities.control('key-1');
  await limiter.limits.getSystem();
  await limiter.limits.getEntity('key-1', 'gpt-4');
  await limiter.limits.listResources();
  await limiter.limits.listEntities('gpt-4');
  await limiter.limits.listOfEntity('key-1');
  await limiter.limits.getOnUnavailable();
  await diffManifest(limiter, manifest({ system: { limits: ['rpm:60/min'] } }));
  await limiter.audit.list();
  await limiter.audit.list({ subject: 'entity/key-1' });
  await limiter.usage.current({ entity: 'key-1' });
  await limiter.usage.summary(day);
  await limiter.usage.snapshots({ ...day, type: 'hour' });
  await limiter.usage.top({ resource: 'gpt-4', type: 'day', start: today, limitName: 'rpm' });
  await limiter.usage.verify({ entity: 'key-1', settleMs: 0 });
  await limiter.usage.verify({ entity: 'key-1', source: 'events', settleMs: 0 });
  await limiter.usage.events({ entity: 'key-1', resource: 'gpt-4', from: today, to: tomorrow });
  await limiter.usage.findEvent({ entity: 'key-1', resource: 'gpt-4', idempotencyKey: 'job-1' });
  await limiter.namespaces.list();
  await limiter.namespaces.describe('default');
  await limiter.close();
  await using registry = await openNamespaces({ table, client });
  await registry.audit.list();
  await tableStatus({ table, client });
}

async function administer(table: string, client: DynamoDBClient): Promise<void> {
  const limiter = await RateLimiter.open({ table, client, actor: 'operator', billing: BILLING });
  const limits = [Limit.perMinute('rpm', 60)];
  await limiter.entities.create('key-2');
  await limiter.entities.move('key-2', { parent: 'project-1' });
  await limiter.limits.setResource('gpt-4', limits);
  await limiter.limits.setEntity('key-2', 'gpt-4', limits);
  await limiter.limits.setEntityDefault('key-2', limits);
  await limiter.limits.deleteEntityDefault('key-2');
  await limiter.limits.setOnUnavailable('allow');
  await applyManifest(limiter, manifest({ resources: { api: ['rps:5/sec'] } }));
  await applyManifest(limiter, manifest({}), { prune: true });
  await (await limiter.acquire('key-2', 'gpt-4', { rpm: 1 })).commit();
  await limiter.entities.disable('key-2');
  await limiter.entities.enable('key-2');
  await limiter.entities.reset('key-2', 'gpt-4');
  await limiter.entities.grant('key-2', 'gpt-4', { rpm: 1 });
  await limiter.usage.repair({ entity: 'key-1', settleMs: 0 });
  await limiter.usage.repair({ entity: 'key-1', source: 'events', settleMs: 0 });
  await limiter.entities.delete('key-2');
  await limiter.close();
  // A window can be sealed a while after it is closed.
  const later = await RateLimiter.open({ table, client, clock: { nowMs: () => Date.now() + 3 * DAY_MS } });
  const window = { resource: 'gpt-4', type: 'hour', start: new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS) } as const;
  await later.usage.seal(window);
  await later.usage.checkSeal(window);
  await later.close();
}

async function administerTable(table: string, client: DynamoDBClient): Promise<void> {
  await migrate({ table, client });
  await using first = await RateLimiter.open({ table, client });
  await first.usage.verify({ settleMs: 0 });
  await using registry = await openNamespaces({ table, client });
  const { namespaces } = registry;
  await namespaces.register('tenant', { zone: 'Europe/Berlin' });
  await using limiter = await RateLimiter.open({ table, client, namespace: 'tenant' });
  await limiter.limits.setSystem([Limit.perMinute('rpm', 60)]);
  await namespaces.delete('tenant');
  await namespaces.recover('tenant');
  await namespaces.delete('tenant');
  await namespaces.purge('tenant');
}

/** Loses the day of an entity's books, and a token of its week. */
async function damage(dynamo: DynamoDBClient, table: string, partition: string): Promise<void> {
  const asked = { KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: { ':pk': { S: partition } } };
  const { Items: items = [] } = await dynamo.send(new QueryCommand({ TableName: table, ...asked }));
  const keyOf = (type: string) => {
    const item = items.find(({ SK }) => SK?.S?.startsWith(`${type}/gpt-4/`));
    if (item?.['PK'] === undefined || item['SK'] === undefined) throw new Error(`the ledger has no ${type}`);
    return { PK: item['PK'], SK: item['SK'] };
  };
  await dynamo.send(new DeleteItemCommand({ TableName: table, Key: keyOf('day') }));
  const update = {
    UpdateExpression: 'SET #to = #to - :one',
    ExpressionAttributeNames: { '#to': windowAttribute('usedTo', 'rpm') },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  };
  await dynamo.send(new UpdateItemCommand({ TableName: table, Key: keyOf('week'), ...update }));
}
