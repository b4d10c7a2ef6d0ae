import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { awsHandler, environmentOf } from '@millrace/aggregator-lambda';
import { afterEach, expect, it } from 'vitest';
import { BucketWorld } from './batch-world.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** A table that throttles the first updates, so many of them, and takes all else. */
async function throttlingTable(throttles: number): Promise<string> {
  let left = throttles;
  const server = createServer((request, response) => {
    const isUpdate = request.headers['x-amz-target'] === 'DynamoDB_20120810.UpdateItem';
    const isThrottled = isUpdate && left > 0;
    if (isThrottled) left -= 1;
    request.resume();
    response.writeHead(isThrottled ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(isThrottled ? '{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}' : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('requests that DynamoDB throttles are in the metrics of their batch, also those that succeed in the end', async () => {
  const lines: string[] = [];
  const connection = {
    endpoint: await throttlingTable(2),
    region: 'local',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  };
  const handler = awsHandler(environmentOf({ MILLRACE_TABLE: 'millrace', AWS_REGION: 'local' }), {
    connection,
    write: (line) => void lines.push(line),
  });
  const bucket = new BucketWorld();
  const invoke = () => handler({ Records: [bucket.take('key', 1)] }, { getRemainingTimeInMillis: () => 60_000 });

  expect([await invoke(), await invoke()]).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { Throttles: 2, Records: 1, WindowsWritten: 4, Gaps: 0, _aws: { CloudWatchMetrics: [{ Dimensions: [['Table']] }] } },
    { Throttles: 0 },
  ]);
});
