import { installedEngines, type LocalEngine, launchEngine, MemoryStore } from '@millrace/testing';
import { describeBucketStore } from '@millrace/testing/contract';
import { afterAll, beforeAll, describe } from 'vitest';
import { connect } from '../src/dynamo/client.js';
import { DynamoStore } from '../src/dynamo/dynamo-store.js';
import { SdkTransport } from '../src/dynamo/sdk-transport.js';
import { Sender } from '../src/dynamo/sender.js';
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

  const openDynamo = async () => {
    const { table, connection, close } = await tableOn(engine);
    const { client, close: disconnect } = await connect(connection, table);
    const store = new DynamoStore(new SdkTransport(new Sender(client, table, TIMEOUT_MS, () => undefined)), table);
    return {
      store,
      async close() {
        disconnect();
        await close();
      },
    };
  };
  describeBucketStore('DynamoStore', openDynamo);
});
