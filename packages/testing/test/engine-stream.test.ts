import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { createTable } from '@millrace/limiter/admin';
import { EngineStream, installedEngines, type LambdaStreamRecord, launchEngine, StreamPump } from '@millrace/testing';
import { describe, expect, it } from 'vitest';

const KEYS = 8;
const WRITES = 60;

for (const installed of await installedEngines()) {
  const skipped = installed.available ? undefined : installed.reason;

  describe.skipIf(skipped !== undefined)(`the stream of a table on ${installed.name}`, () => {
    it('reaches the function whole: each item from its insert on, one image joined to the next, in order', async (context) => {
      if (skipped !== undefined) return context.skip(skipped);
      await using engine = await launchEngine({ engine: installed.name });
      const { endpoint, region, credentials } = engine;
      const table = `millrace-${randomUUID()}`;
      await createTable({ table, endpoint, region, credentials });
      const client = new DynamoDBClient({ endpoint, region, credentials });
      const keyOf = (index: number) => ({ PK: { S: `t/${index % KEYS}` }, SK: { S: 'x' } });
      for (let index = 0; index < KEYS; index += 1) {
        await client.send(new PutItemCommand({ TableName: table, Item: { ...keyOf(index), n: { N: '0' } } }));
      }
      await Promise.all(
        Array.from({ length: KEYS * WRITES }, (_, index) =>
          client.send(
            new UpdateItemCommand({
              TableName: table,
              Key: keyOf(index),
              UpdateExpression: 'ADD n :one',
              ExpressionAttributeValues: { ':one': { N: '1' } },
            }),
          ),
        ),
      );

      const steps = new Map<string, (number | undefined)[][]>();
      const source = await EngineStream.open(engine, table);
      const note = ({ dynamodb }: LambdaStreamRecord): void => {
        const key = dynamodb.Keys['PK'] as { S: string };
        if (!key.S.startsWith('t/')) return;
        const numbers = [dynamodb.OldImage, dynamodb.NewImage].map((image) => image && Number((image['n'] as { N: string }).N));
        steps.set(key.S, [...(steps.get(key.S) ?? []), numbers]);
      };
      const pump = new StreamPump({ source, handler: async ({ Records }) => void Records.forEach(note), batchSize: 50 });
      await pump.drain();
      source.close();
      client.destroy();

      expect(steps.size).toBe(KEYS);
      const chain = [[undefined, 0], ...Array.from({ length: WRITES }, (_, index) => [index, index + 1])];
      for (const found of steps.values()) expect(found).toEqual(chain);
    });
  });
}
