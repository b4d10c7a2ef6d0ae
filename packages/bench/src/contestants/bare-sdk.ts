import {
  DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { ATTRIBUTE } from '@millrace/core';
import { createTable } from '@millrace/limiter/admin';
import { AMPLE, type Contestant, type ContestantWorld, DRAINED, keyName, PARENT } from './contestant.js';

/** As many connections as callers want: the SDK's own bound of 50 would measure its queue. */
export const REQUEST_HANDLER = { httpAgent: { maxSockets: 1_024 } } as const;

/**
 * The physical floor of "one write": a conditional `UpdateItem` that adds one to a number and refuses above a bound, on a
 * table of the same keys, through the SDK and nothing else. It never gives a token back in time, so it is no limiter. Looking
 * is one `GetItem`, a cascade two updates at once.
 */
export async function openBareSdk(world: ContestantWorld): Promise<Contestant> {
  const { endpoint, region, credentials, table, caseName } = world;
  await createTable({ table, endpoint, region, credentials });
  const client = new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1, requestHandler: REQUEST_HANDLER });
  const capacity = caseName === 'exhausted' ? DRAINED.capacity : AMPLE.capacity;
  const counts = { requests: 0, readUnits: 0, writeUnits: 0 };

  async function add(name: string): Promise<boolean> {
    counts.requests += 1;
    try {
      const command = new UpdateItemCommand(additionTo(table, name, capacity, caseName === 'two-limits' ? 2 : 1));
      const output: UpdateItemCommandOutput = await client.send(command);
      counts.writeUnits += output.ConsumedCapacity?.CapacityUnits ?? 0;
      return true;
    } catch (error) {
      if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
      counts.writeUnits += 1;
      return false;
    }
  }

  async function look(name: string): Promise<boolean> {
    counts.requests += 1;
    const output = await client.send(new GetItemCommand({ TableName: table, Key: keyOf(name), ReturnConsumedCapacity: 'TOTAL' }));
    counts.readUnits += output.ConsumedCapacity?.CapacityUnits ?? 0;
    return true;
  }

  return {
    async take(key) {
      if (caseName === 'available') return look(keyName(key));
      if (caseName !== 'cascade') return add(keyName(key));
      const [own, parents] = await Promise.all([add(keyName(key)), add(PARENT)]);
      return own && parents;
    },
    counts: () => ({ ...counts }),
    close: async () => client.destroy(),
  };
}

function additionTo(table: string, name: string, capacity: number, numbers: 1 | 2): UpdateItemCommandInput {
  const attributes = numbers === 1 ? ['n'] : ['n', 'm'];
  return {
    TableName: table,
    Key: keyOf(name),
    UpdateExpression: `SET ${attributes.map((attribute) => `${attribute} = if_not_exists(${attribute}, :zero) + :one`).join(', ')}`,
    ConditionExpression: attributes.map((attribute) => `(attribute_not_exists(${attribute}) OR ${attribute} < :capacity)`).join(' AND '),
    ExpressionAttributeValues: { ':zero': { N: '0' }, ':one': { N: '1' }, ':capacity': { N: String(capacity) } },
    ReturnConsumedCapacity: 'TOTAL',
  };
}

function keyOf(name: string): UpdateItemCommandInput['Key'] {
  return { [ATTRIBUTE.partitionKey]: { S: `bench/${name}` }, [ATTRIBUTE.sortKey]: { S: 'b' } };
}
