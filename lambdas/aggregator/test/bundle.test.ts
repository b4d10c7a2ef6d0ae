import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCHEDULE_EVENT } from '@millrace/aggregator-lambda';
import { bundleOptions } from '@millrace/aggregator-lambda/bundle';
import { describeBundle, runBundle } from '@millrace/house';
import { createTable } from '@millrace/limiter/admin';
import { launchEngine } from '@millrace/testing';
import { describe, expect, it } from 'vitest';

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

    // The namespace of the recorded event is not in the registry: there is nothing to seal.
    expect(lines.pop()).toBe('SEALED {"sealed":0,"failed":0,"isDone":true}');
    expect(JSON.parse(lines.pop() ?? '')).toMatchObject({ Table: table, PeriodsSealed: 0, PeriodsNotSealed: 0 });
    expect(lines.at(-1)).toBe('ANSWER {"batchItemFailures":[{"itemIdentifier":"4421584500000000017450439092"}]}');
    expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({
      Table: table,
      Records: 2,
      WindowsWritten: 4,
      PoisonRecords: 1,
      FailedRecords: 1,
    });
  });
});
