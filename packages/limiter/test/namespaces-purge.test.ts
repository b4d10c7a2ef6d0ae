import { bucketKey, configKey, entityKey } from '@millrace/core';
import { openNamespaces } from '@millrace/limiter/admin';
import { CrashingTable, FakeRuntime } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventIds } from '../src/admin/audit-log.js';
import { Namespaces } from '../src/admin/namespaces.js';
import { type Connection, connect } from '../src/dynamo/client.js';
import { DocumentTable } from '../src/dynamo/document-table.js';
import { Sender } from '../src/dynamo/sender.js';
import { Stats } from '../src/engine/index.js';
import { type EngineTable, launchTable } from './engine-table.js';

const ENTITIES = Array.from({ length: 30 }, (_, index) => `key-${index}`);

let engine: EngineTable;
let connection: Connection;
let items: DocumentTable;
beforeAll(async () => {
  engine = await launchTable();
  connection = await connect(engine.connection, engine.table);
  const { clock, sleep, random } = new FakeRuntime();
  const sender = new Sender(connection.client, engine.table, 30_000, () => undefined);
  items = new DocumentTable(sender, engine.table, { clock, sleep, random, stats: new Stats() }, 30_000);
});
afterAll(async () => {
  connection.close();
  await engine.close();
});

/** The registry in a process that dies at a request. */
function registry(table: CrashingTable): Namespaces {
  return new Namespaces({
    items: table,
    namespaceId: '_',
    nowMs: () => Date.now(),
    newEventId: eventIds(() => Date.now()),
    actor: undefined,
    onChange: () => undefined,
    run: (_operation, work) => work(),
  });
}

/** Registers a namespace with three items for each of some entities. */
async function furnished(name: string, entities: readonly string[]): Promise<string> {
  const { id } = await registry(new CrashingTable(items)).register(name);
  const keys = entities.flatMap((entity) => [
    entityKey(id, entity),
    configKey(id, { level: 'entity-default', entity }),
    bucketKey({ namespaceId: id, entity, resource: 'api', shard: 0 }),
  ]);
  const all = keys.map(({ partition, sort }) => ({ PK: partition, SK: sort, v: 1, ver: 1 }));
  for (let start = 0; start < all.length; start += 100) {
    await items.transact(all.slice(start, start + 100).map((item) => ({ kind: 'put', item })));
  }
  return id;
}

/** All items, but those of a namespace and the events about the table. */
async function othersThan(id: string): Promise<string> {
  const all = (await engine.contents()).split('\n');
  return all.filter((item) => !item.includes(`["PK",{"S":"${id}/`) && !item.includes('["PK",{"S":"_/a')).join('\n');
}

describe('a purge that dies at any request', () => {
  it('is ended by the next, and its neighbours stay byte for byte as they are', async () => {
    await furnished('acme/', ['key-0', 'acme']);
    await furnished('acme%2F', ['key-0']);
    const setUp = async () => {
      const id = await furnished('acme', ENTITIES);
      await registry(new CrashingTable(items)).delete('acme');
      return id;
    };
    await setUp();
    const counting = new CrashingTable(items);
    await registry(counting).purge('acme');

    for (let at = 1; at <= counting.requests; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const id = await setUp();
        const before = await othersThan(id);
        await expect(registry(new CrashingTable(items, { at, when })).purge('acme')).rejects.toMatchObject({ name: 'Crash' });

        await using opened = await openNamespaces({ table: engine.table, ...engine.connection });
        if ((await opened.namespaces.describe('acme')) !== undefined) await opened.namespaces.purge('acme');

        expect(await opened.namespaces.describe('acme')).toBeUndefined();
        const left = (await engine.contents()).split('\n').filter((item) => item.includes(`["PK",{"S":"${id}/`));
        expect(left).toHaveLength(1);
        expect(left[0]).toContain('["closed",{"BOOL":true}]');
        const withoutEntry = before.split('\n').filter((item) => !item.includes(`["id",{"S":"${id}"}]`));
        expect((await othersThan(id)).split('\n')).toEqual(withoutEntry);
      }
    }
  });
});
