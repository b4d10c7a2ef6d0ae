import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoWindowStore, Sender } from '@millrace/aggregator-lambda';
import { usageKey, type WindowRef, type WireItem, wireKey } from '@millrace/core';
import { DEFAULT_RETENTION, windowFromItem } from '@millrace/ledger';
import { createTable, deleteTable } from '@millrace/limiter/admin';
import { installedEngines, type LocalEngine, launchEngine } from '@millrace/testing';
import { describeWindowStore } from '@millrace/testing/contract';
import { afterAll, beforeAll, describe } from 'vitest';

const engines = await installedEngines();

describe.each(engines.filter(({ available }) => available))('on $name', ({ name }) => {
  let engine: LocalEngine;
  beforeAll(async () => {
    engine = await launchEngine({ engine: name });
  });
  afterAll(() => engine.close());

  describeWindowStore("the function's store of windows", async () => {
    const { endpoint, region, credentials } = engine;
    const table = `millrace-${randomUUID()}`;
    await createTable({ table, endpoint, region, credentials });
    const client = new DynamoDBClient({ endpoint, region, credentials });
    const store = new DynamoWindowStore(new Sender(client, 10_000), table, DEFAULT_RETENTION);
    const read = async (ref: WindowRef) => {
      const { Item: item } = await client.send(new GetItemCommand({ TableName: table, Key: wireKey(usageKey(ref)), ConsistentRead: true }));
      return item === undefined ? undefined : windowFromItem(item as WireItem);
    };
    return {
      store: { widen: (change) => store.widen(change), read },
      async close() {
        client.destroy();
        await deleteTable({ table, endpoint, region, credentials });
      },
    };
  });
});
