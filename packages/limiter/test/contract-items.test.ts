import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { FakeRuntime, installedEngines, type LocalEngine, launchEngine } from '@millrace/testing';
import { describeItemTable } from '@millrace/testing/contract';
import { afterAll, beforeAll, describe } from 'vitest';
import { type ConnectionOptions, connect } from '../src/dynamo/client.js';
import { DocumentTable } from '../src/dynamo/document-table.js';
import { Sender } from '../src/dynamo/sender.js';
import { Stats } from '../src/engine/index.js';
import { type EngineTable, tableOn } from './engine-table.js';

const TIMEOUT_MS = 30_000;
const engines = await installedEngines();

for (const engine of engines) {
  if (!engine.available) console.info(`contract of items: not run on ${engine.name}: ${engine.reason}`);
}

describe.each(engines.filter(({ available }) => available))('on $name', ({ name }) => {
  let engine: LocalEngine;
  beforeAll(async () => {
    engine = await launchEngine({ engine: name });
  });
  afterAll(() => engine.close());

  const openItems = async (optionsOf: (own: EngineTable['connection']) => ConnectionOptions) => {
    const { table, connection, close } = await tableOn(engine);
    const { client, close: disconnect } = await connect(optionsOf(connection), table);
    const { clock, sleep, random } = new FakeRuntime();
    const sender = new Sender(client, table, TIMEOUT_MS, () => undefined);
    return {
      store: new DocumentTable(sender, table, { clock, sleep, random, stats: new Stats() }, TIMEOUT_MS),
      async close() {
        disconnect();
        await close();
      },
    };
  };
  describeItemTable('DocumentTable', () => openItems((own) => own));
  // Options that change what the document client makes of a value: none of it may touch what administration stores.
  describeItemTable('DocumentTable over a document client of the user', () =>
    openItems((own) => ({
      client: DynamoDBDocumentClient.from(new DynamoDBClient(own), {
        marshallOptions: { convertEmptyValues: true, removeUndefinedValues: true },
        unmarshallOptions: { wrapNumbers: true },
      }),
    })),
  );
});
