import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SCHEDULE_EVENT } from '@millrace/aggregator-lambda';
import { bundleOptions } from '@millrace/aggregator-lambda/bundle';
import { describeBundle, runBundle } from '@millrace/house';
import { createTable } from '@millrace/limiter/admin';
import { launchEngine } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { booked, windowsOf } from './live-world.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const ENTRY = join(here, '../src/lambda.ts');

describe('the bundled function', () => {
  const bundle = describeBundle(bundleOptions(ENTRY), ENTRY, 400_000);

  it('is required and invoked with a recorded event, as the runtime does it: what is read is written, what is not is reported', async () => {
    await using engine = await launchEngine();
    const { endpoint, region, credentials } = engine;
    const table = `millrace-${randomUUID()}`;
    await createTable({ table, endpoint, region, credentials });
    const event = await readFile(join(here, 'recorded-event.json'), 'utf8');
    const script = `require('./index.cjs').handler(${event}, { getRemainingTimeInMillis: () => 30000 })
      .then((answer) => process.stdout.write('ANSWER ' + JSON.stringify(answer) + '\\n'))
      .then(() => require('./index.cjs').handler(${event}, { getRemainingTimeInMillis: () => 30000 }))
      .then(() => require('./index.cjs').handler(${JSON.stringify(SCHEDULE_EVENT)}, { getRemainingTimeInMillis: () => 30000 }))
      .then((answer) => process.stdout.write('SEALED ' + JSON.stringify(answer)));`;
    const env = {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      MILLRACE_TABLE: table,
      MILLRACE_SEAL_TYPES: 'month',
    };

    const lines = await runBundle(bundle(), script, env);

    // The namespace of the recorded event is not in this table's registry: there is nothing to seal.
    expect(lines.pop()).toBe('SEALED {"sealed":0,"failed":0,"isDone":true}');
    const [trouble, first, answer, , again, sealed] = lines;
    expect(JSON.parse(trouble ?? '')).toMatchObject({ level: 'error', table, what: 'poison', records: 1 });
    expect(JSON.parse(sealed ?? '')).toMatchObject({ Table: table, PeriodsSealed: 0, PeriodsNotSealed: 0 });
    expect(answer).toBe('ANSWER {"batchItemFailures":[{"itemIdentifier":"8"}]}');
    const batch = { Table: table, Records: 3, BucketWrites: 2, PoisonRecords: 1, FailedRecords: 1 };
    expect(JSON.parse(first ?? '')).toMatchObject({ ...batch, WindowsWritten: 4, WindowsKnown: 0 });
    expect(JSON.parse(again ?? '')).toMatchObject({ ...batch, WindowsWritten: 0, WindowsKnown: 4 });
    const client = new DynamoDBClient({ endpoint, region, credentials });
    // The limiter took 1 and 800, and gave 150 back.
    expect(booked(await windowsOf(client, table), 'month')).toEqual({ 'key-1': { rpm: 1, tpm: 650 } });
    client.destroy();
  });
});
