import { CreateTableCommand, DynamoDBClient, PutItemCommand, QueryCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { ATTRIBUTE, TABLE_DEFINITION, WINDOW_INDEX } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable, tableStatus, upgradeTable } from '@millrace/limiter/admin';
import { installedEngines, type LocalEngine, launchEngine } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const { KeySchema: KEYS, AttributeDefinitions: ATTRIBUTES } = TABLE_DEFINITION;
const WINDOW = { PK: { S: 'n1/u/key-1' }, SK: { S: 'hour/gpt-4/2027-01-15T08:00:00Z/0/0' }, [ATTRIBUTE.windowName]: { S: 'n1/w/hour' } };

for (const installed of await installedEngines()) {
  const skipped = installed.available ? undefined : installed.reason;

  describe.skipIf(skipped !== undefined)(`a table without an index, on ${installed.name}`, () => {
    let engine: LocalEngine;
    let client: DynamoDBClient;
    beforeAll(async () => {
      engine = await launchEngine({ engine: installed.name });
      client = new DynamoDBClient({ endpoint: engine.endpoint, region: engine.region, credentials: engine.credentials });
    });
    afterAll(async () => {
      client.destroy();
      await engine.close();
    });

    /** Makes a table as releases did that knew no index, or with an index of somebody else. */
    async function older(table: string, indexKey?: string) {
      const isKey = (name: string): boolean => name === indexKey || KEYS.some(({ AttributeName }) => AttributeName === name);
      const index = {
        IndexName: WINDOW_INDEX,
        KeySchema: [{ AttributeName: indexKey, KeyType: 'HASH' as const }],
        Projection: { ProjectionType: 'ALL' as const },
      };
      await client.send(
        new CreateTableCommand({
          TableName: table,
          KeySchema: [...KEYS],
          AttributeDefinitions: ATTRIBUTES.filter(({ AttributeName }) => isKey(AttributeName)),
          BillingMode: 'PAY_PER_REQUEST',
          ...(indexKey === undefined ? {} : { GlobalSecondaryIndexes: [index] }),
        }),
      );
      await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: table });
      return { table, endpoint: engine.endpoint, region: engine.region, credentials: engine.credentials };
    }

    it('says so, limits all the same, and gets it with what it should hold', async () => {
      const options = await older('older');
      await client.send(new PutItemCommand({ TableName: 'older', Item: WINDOW }));
      await createTable(options);

      expect(await tableStatus(options)).toMatchObject({ usageIndex: 'missing' });
      await using limiter = await RateLimiter.open(options);
      await limiter.limits.setSystem([Limit.perMinute('rpm', 5)]);
      await limiter.acquire('key-1', 'gpt-4', { rpm: 1 });

      expect(await upgradeTable(options)).toEqual({ added: [WINDOW_INDEX] });

      expect(await tableStatus(options)).toMatchObject({ usageIndex: 'usable', status: 'ACTIVE' });
      const found = await client.send(
        new QueryCommand({
          TableName: 'older',
          IndexName: WINDOW_INDEX,
          KeyConditionExpression: '#w = :w',
          ExpressionAttributeNames: { '#w': ATTRIBUTE.windowName },
          ExpressionAttributeValues: { ':w': { S: 'n1/w/hour' } },
        }),
      );
      expect(found.Items).toEqual([WINDOW]);
    });

    it('gets it once, whoever and however often asks for it', async () => {
      const options = await older('twice');

      const results = await Promise.all([upgradeTable(options), upgradeTable(options)]);
      expect(results.flatMap(({ added }) => added).length).toBeGreaterThanOrEqual(1);
      expect(await upgradeTable(options)).toEqual({ added: [] });
    });

    it("is refused where an index of that name has other keys, and where the table is somebody else's", async () => {
      const options = await older('unlike', ATTRIBUTE.windowName);
      await client.send(
        new CreateTableCommand({
          TableName: 'payroll',
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          BillingMode: 'PAY_PER_REQUEST',
        }),
      );
      await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: 'payroll' });

      expect(await tableStatus(options)).toMatchObject({ usageIndex: 'unlike' });
      await expect(upgradeTable(options)).rejects.toMatchObject({ code: 'TABLE_UNUSABLE', message: expect.stringContaining('other keys') });
      await expect(upgradeTable({ ...options, table: 'payroll' })).rejects.toMatchObject({ code: 'TABLE_UNUSABLE' });
      await expect(upgradeTable({ ...options, table: 'nowhere' })).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    });
  });
}
