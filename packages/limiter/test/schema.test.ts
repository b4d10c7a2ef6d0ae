import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { RateLimiter } from '@millrace/limiter';
import { createTable, deleteTable, migrate, openNamespaces, tableStatus } from '@millrace/limiter/admin';
import { installedEngines, launchEngine } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineTable, launchTable, tableOn } from './engine-table.js';

let engine: EngineTable;
beforeAll(async () => {
  engine = await launchTable();
});
afterAll(() => engine.close());

/** Writes a version where a later release would. */
async function pretend(table: EngineTable, partition: string, sort: string, version: number): Promise<void> {
  await table.client.send(
    new UpdateItemCommand({
      TableName: table.table,
      Key: { PK: { S: partition }, SK: { S: sort } },
      UpdateExpression: 'SET v = :v',
      ExpressionAttributeValues: { ':v': { N: String(version) } },
    }),
  );
}

describe('a table that was just created', () => {
  it('is in the schema of this release, holds one namespace, and says who made it', async () => {
    const table = await tableOn(engine.engine);
    const options = { table: table.table, ...table.connection };

    const status = await tableStatus(options);
    expect(status).toMatchObject({ table: table.table, status: 'ACTIVE', stream: true, timeToLive: true });
    expect(status).toMatchObject({ schemaVersion: 1, releaseSchemaVersion: 1, readable: true });
    const { namespaces, audit, close } = await openNamespaces(options);
    expect((await namespaces.list()).namespaces).toMatchObject([{ name: 'default', state: 'active' }]);
    expect((await audit.list({ order: 'oldest-first' })).events.map(({ action }) => action)).toEqual([
      'schema.migrate',
      'namespace.register',
    ]);
    await close();
    await table.close();
  });

  it('is left as it is by another creation, also its deleted namespace', async () => {
    const table = await tableOn(engine.engine);
    const options = { table: table.table, ...table.connection };
    await using opened = await openNamespaces(options);
    await opened.namespaces.delete('default');
    const before = await table.contents();

    await createTable({ ...options, actor: 'ada' });

    expect(await table.contents()).toBe(before);
    await table.close();
  });
});

describe('migrating', () => {
  it('records the version of a table that has none, and then does nothing more', async () => {
    const table = await tableOn(engine.engine);
    const options = { table: table.table, ...table.connection };
    await pretend(table, '_/schema', 'version', 0);

    const told: number[] = [];
    expect(await migrate({ ...options, actor: 'ada', onProgress: ({ to }) => told.push(to) })).toEqual({ from: 0, to: 1 });
    expect(told).toEqual([1]);
    const before = await table.contents();
    expect(await migrate(options)).toEqual({ from: 1, to: 1 });

    expect(await table.contents()).toBe(before);
    expect(await tableStatus(options)).toMatchObject({ schemaVersion: 1, readable: true });
    await table.close();
  });

  it('of a table that is newer is refused, as is everything else, and says what to do', async () => {
    const table = await tableOn(engine.engine);
    const options = { table: table.table, ...table.connection };
    await pretend(table, '_/schema', 'version', 3);
    await pretend(table, '_/namespaces', 'default', 3);
    const before = await table.contents();

    for (const call of [() => migrate(options), () => createTable(options), () => openNamespaces(options)]) {
      await expect(call()).rejects.toMatchObject({
        code: 'SCHEMA_VERSION',
        message: expect.stringMatching(/schema version 3.*update Millrace/),
      });
    }
    await expect(RateLimiter.open(options)).rejects.toMatchObject({
      code: 'SCHEMA_VERSION',
      message: expect.stringMatching(/namespace "default" has schema version 3.*update this service/),
    });
    expect(await tableStatus(options)).toMatchObject({ schemaVersion: 3, readable: false });
    expect(await table.contents()).toBe(before);
    await table.close();
  });

  it('refuses a table that is not there, and bad options', async () => {
    const options = { table: 'nowhere', ...engine.connection };

    await expect(migrate(options)).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    await expect(tableStatus(options)).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    await expect(migrate({ ...options, onProgress: 1 as never })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(migrate({ ...options, actor: '' })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(tableStatus({ ...options, verbose: true } as never)).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

describe.each((await installedEngines()).filter(({ available }) => available))('on $name', ({ name }) => {
  it('a status says what the engine tells, and nothing of what it does not', async () => {
    const own = await launchEngine({ engine: name });
    const options = { table: 'status', endpoint: own.endpoint, region: own.region, credentials: own.credentials };
    await createTable(options);

    const { timeToLive, pointInTimeRecovery, ...status } = await tableStatus(options);

    expect(status).toMatchObject({
      status: 'ACTIVE',
      stream: true,
      schemaVersion: 1,
      items: expect.any(Number),
      sizeBytes: expect.any(Number),
    });
    expect([true, undefined]).toContain(timeToLive);
    expect([false, undefined]).toContain(pointInTimeRecovery);
    await deleteTable(options);
    await own.close();
  });
});
