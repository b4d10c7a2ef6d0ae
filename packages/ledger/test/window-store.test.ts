import { randomUUID } from 'node:crypto';
import { createTable, deleteTable } from '@millrace/limiter/admin';
import { installedEngines, type LocalEngine, launchEngine, MemoryWindowStore } from '@millrace/testing';
import { describeWindowStore } from '@millrace/testing/contract';
import { afterAll, beforeAll, describe } from 'vitest';
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
