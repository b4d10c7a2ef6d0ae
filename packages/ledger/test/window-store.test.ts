import { randomUUID } from 'node:crypto';
import { createTable, deleteTable } from '@millrace/limiter/admin';
import { installedEngines, type LocalEngine, launchEngine, MemoryWindowStore } from '@millrace/testing';
import { describeWindowStore } from '@millrace/testing/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WindowTable } from './window-table.js';

const engines = await installedEngines();

describeWindowStore('MemoryWindowStore', async () => ({ store: new MemoryWindowStore(), close: async () => undefined }));

for (const engine of engines) {
  if (!engine.available) console.info(`contract of windows: not run on ${engine.name}: ${engine.reason}`);
}

describe.each(engines.filter(({ available }) => available))('on $name', ({ name }) => {
  let engine: LocalEngine;
  beforeAll(async () => {
    engine = await launchEngine({ engine: name });
  });
  afterAll(() => engine.close());

  it('write numbers of a window widen both ways, also by a change of which every counter goes on', async () => {
    const { endpoint, region, credentials } = engine;
    const table = `millrace-${randomUUID()}`;
    await createTable({ table, endpoint, region, credentials });
    const store = new WindowTable(engine, table);
    const bucket = { namespaceId: 'ns1', entity: 'key-1', resource: 'gpt-4', shard: 0 };
    const ref = { bucket, eraUs: 5, type: 'hour', startMs: Date.parse('2027-01-15T09:00:00Z') } as const;
    const step = (from: bigint, to: bigint) => ({ used: { from, to }, returned: { from: 0n, to: 0n }, isBirth: false });

    await store.widen({ ref, seq: { from: 10, to: 11 }, limits: new Map([['rpm', step(5n, 6n)]]) });
    await store.widen({
      ref,
      seq: { from: 8, to: 12 },
      limits: new Map([
        ['rpm', step(6n, 7n)],
        ['tpm', step(1n, 2n)],
      ]),
    });

    expect(await store.read(ref)).toMatchObject({ seq: { from: 8, to: 12 } });
    store.close();
    await deleteTable({ table, endpoint, region, credentials });
  });

  describeWindowStore("the ledger's requests", async () => {
    const { endpoint, region, credentials } = engine;
    const table = `millrace-${randomUUID()}`;
    await createTable({ table, endpoint, region, credentials });
    const store = new WindowTable(engine, table);
    return {
      store,
      async close() {
        store.close();
        await deleteTable({ table, endpoint, region, credentials });
      },
    };
  });
});
