import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { DeleteMessageCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Limit } from '@millrace/limiter';
import { describe, expect, it } from 'vitest';
import { deployed, limiterAs } from './deployed.js';

const HOUR_MS = 3_600_000;

/** What Lambda says of records that it gave up. */
interface FailureMessage {
  readonly requestContext: { readonly condition: string };
  readonly DDBStreamBatchInfo: { readonly batchSize: number };
}

describe('the deployed aggregator', () => {
  it('gives up a record that it cannot read, alone, and counts those beside it in the same batch', async () => {
    await using operator = await limiterAs('Admin');
    await using service = await limiterAs('Acquire');
    await using reader = await limiterAs('Read');
    await operator.limits.setResource('poisoned', [Limit.perMinute('rpm', 500)]);
    const dynamo = new DynamoDBClient({});
    const acquire = (entity: string) => service.acquire(entity, 'poisoned', { rpm: 3 }).then((lease) => lease.commit());

    // What is written while the mapping rests comes as one batch.
    await letMapping('rest');
    await acquire('neighbour-1');
    // A bucket's write number, under a key that is no bucket's: it has a shard that is no number.
    const Item = { PK: { S: `${deployed.namespaceIds['default']}/b/poison/one` }, SK: { S: 'poisoned' }, seq: { N: '1' } };
    await dynamo.send(new PutItemCommand({ TableName: deployed.table, Item }));
    await acquire('neighbour-2');
    await acquire('neighbour-1');
    await letMapping('run');

    expect(await failureMessages()).toMatchObject([
      { requestContext: { condition: 'RetryAttemptsExhausted' }, DDBStreamBatchInfo: { batchSize: 1 } },
    ]);
    const from = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS);
    const to = new Date(from.getTime() + 3 * HOUR_MS);
    for (const [entity, net] of [['neighbour-1', 6] as const, ['neighbour-2', 3] as const]) {
      await expect
        .poll(async () => (await reader.usage.summary({ entity, from, to })).resources['poisoned'], { timeout: 10_000, interval: 100 })
        .toMatchObject({ rpm: { net } });
    }
    expect(await messagesLeft()).toBe('0');
    dynamo.destroy();
  });
});

/** The messages in the failure queue, taken away: waits for the first, up to twenty seconds. */
async function failureMessages(): Promise<readonly FailureMessage[]> {
  const sqs = new SQSClient({});
  const asked = { QueueUrl: deployed.failureQueue, MaxNumberOfMessages: 10, WaitTimeSeconds: 20 };
  const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand(asked));
  for (const { ReceiptHandle } of messages) await sqs.send(new DeleteMessageCommand({ QueueUrl: deployed.failureQueue, ReceiptHandle }));
  sqs.destroy();
  return messages.map(({ Body: body = '{}' }) => JSON.parse(body) as FailureMessage);
}

/** Lets Lambda stop reading the stream, or go on where it was. */
async function letMapping(what: 'rest' | 'run'): Promise<void> {
  const lambda = new LambdaClient({});
  const { EventSourceMappings: [mapping] = [] } = await lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName: deployed.aggregator }),
  );
  await lambda.send(new UpdateEventSourceMappingCommand({ UUID: mapping?.UUID, Enabled: what === 'run' }));
  lambda.destroy();
}

/** How many messages are in the failure queue still. */
async function messagesLeft(): Promise<string | undefined> {
  const sqs = new SQSClient({});
  const asked = { QueueUrl: deployed.failureQueue, AttributeNames: ['ApproximateNumberOfMessages' as const] };
  const { Attributes: attributes } = await sqs.send(new GetQueueAttributesCommand(asked));
  sqs.destroy();
  return attributes?.['ApproximateNumberOfMessages'];
}
