import { installedEngines, type LocalEngine, launchEngine, MemoryStore } from '@millrace/testing';
import { describeBucketStore } from '@millrace/testing/contract';
import { afterAll, beforeAll, describe } from 'vitest';
import { connect } from '../src/dynamo/client.js';
import { openTransport, type TransportName } from '../src/dynamo/open-transport.js';
import { DynamoStore } from '../src/wire/dynamo-store.js';
import { tableOn } from './engine-table.js';

const TIMEOUT_MS = 30_000;
const engines = await installedEngines();

const openMemory = async () => ({ store: new MemoryStore(), close: async () => undefined });
describeBucketStore('MemoryStore', openMemory);

for (const engine of engines) {
  if (!engine.available) console.info(`contract: not run on ${engine.name}: ${engine.reason}`);
}

describe.each(engines.filter(({ available }) => available))('on $name', ({ name }) => {
  let engine: LocalEngine;
  beforeAll(async () => {
    engine = await launchEngine({ engine: name });
  });
  afterAll(() => engine.close());

  const openDynamo = async (name: TransportName) => {
    const { table, connection, close } = await tableOn(engine);
    const options = { table, timeoutMs: TIMEOUT_MS, onRequest: () => undefined };
    const opened = await openTransport(name, await connect(connection, table), options);
    return {
      store: new DynamoStore(opened.transport, table),
      async close() {
        opened.connection.close();
        await close();
      },
    };
  };
  describeBucketStore('DynamoStore over the lean transport', () => openDynamo('lean'));
  describeBucketStore('DynamoStore over the SDK', () => openDynamo('sdk'));
});
