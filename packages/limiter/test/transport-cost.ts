import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type BucketWrite, bucketWriteRequest } from '@millrace/core';
import { LeanTransport } from '../src/dynamo/lean/lean-transport.js';
import { SdkTransport } from '../src/dynamo/sdk-transport.js';
import { Sender } from '../src/dynamo/sender.js';

/**
 * How much CPU one UpdateItem takes the client: by the SDK alone, and by either transport. The server runs in a process of its own
 * and answers at once, always the same, so that only the client is measured. Run it with `pnpm --filter @millrace/limiter measure:transport`.
 */

const TABLE = 'millrace';
const REQUESTS = 4_000;
const ROUNDS = 3;
const CALLERS = [1, 16, 64] as const;

const WRITE: BucketWrite = {
  ref: { namespaceId: 'n', entity: 'key-1', resource: 'model', shard: 0 },
  nowUs: 1_800_000_000_000_000,
  ttlSec: 1_900_000_000,
  configVersion: 0,
  moves: [
    { form: 'busy', limit: 'rpm', tokens: 1, chargeUs: 100_000, fromUs: 1_799_999_999_000_000, toUs: 1_800_000_050_000_000 },
    { form: 'busy', limit: 'tpm', tokens: 800, chargeUs: 60_000, fromUs: 1_799_999_999_000_000, toUs: 1_800_000_050_000_000 },
  ],
};

function serve(): void {
  const count = { N: '1800000000000012' };
  const limits = Object.fromEntries(['tat', 'u', 'r'].flatMap((part) => ['rpm', 'tpm'].map((limit) => [`${part}.${limit}`, count])));
  const Attributes = { PK: { S: 'n/b/key-1' }, SK: { S: 'model' }, ...limits, seq: count, ttl: { N: '1900000000' } };
  const body = Buffer.from(JSON.stringify({ Attributes, ConsumedCapacity: { CapacityUnits: 1, TableName: TABLE } }));
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'content-length': body.length, 'x-amz-crc32': String(crc32(body)) };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, headers).end(body));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

/** Microseconds of CPU, and requests per second. */
async function measure(send: () => Promise<unknown>, callers: number): Promise<readonly [cpuUs: number, perSec: number]> {
  let left = REQUESTS;
  const [before, startMs] = [process.cpuUsage(), performance.now()];
  const caller = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / REQUESTS, (REQUESTS / (performance.now() - startMs)) * 1000];
}

async function main(): Promise<void> {
  const stub = fork(fileURLToPath(import.meta.url), ['serve']);
  const port = await new Promise((resolve) => stub.once('message', resolve));
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
  const client = new DynamoDBClient({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials, maxAttempts: 1 });
  const sdk = new SdkTransport(new Sender(client, TABLE, 5_000, () => undefined));
  const lean = await LeanTransport.open(client, { table: TABLE, timeoutMs: 5_000, onRequest: () => undefined });
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    'SDK, bare UpdateItem': () => client.send(new UpdateItemCommand(bucketWriteRequest(TABLE, WRITE))),
    'transport sdk': () => sdk.send('UpdateItem', bucketWriteRequest(TABLE, WRITE)),
    'transport lean': () => lean.send('UpdateItem', bucketWriteRequest(TABLE, WRITE)),
  };
  for (const send of Object.values(ways)) await measure(send, 16);

  console.log('| callers | way | CPU µs per request, median | of the SDK | per second |\n| --- | --- | --- | --- | --- |');
  for (const callers of CALLERS) {
    let bareUs = 0;
    for (const [way, send] of Object.entries(ways)) {
      const rounds: (readonly [number, number])[] = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(send, callers));
      const [cpuUs, perSec] = rounds.sort(([a], [b]) => a - b)[Math.floor(ROUNDS / 2)] as readonly [number, number];
      bareUs ||= cpuUs;
      console.log(`| ${callers} | ${way} | ${cpuUs.toFixed(0)} | ${(cpuUs / bareUs).toFixed(2)} | ${perSec.toFixed(0)} |`);
    }
  }
  lean.close();
  client.destroy();
  stub.kill();
}

if (process.argv[2] === 'serve') serve();
else await main();
