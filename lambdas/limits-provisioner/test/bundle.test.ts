import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeBundle, runBundle } from '@millrace/house';
import { createTable } from '@millrace/limiter/admin';
import { bundleOptions } from '@millrace/limits-provisioner-lambda/bundle';
import { launchEngine } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { AnswerServer } from './answer-server.js';
import { properties } from './stack-world.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const ENTRY = join(here, '../src/lambda.ts');

describe('the bundled function', () => {
  const bundle = describeBundle(bundleOptions(ENTRY), ENTRY, 500_000);

  it('is required and invoked, as the runtime does it: a stack is answered, and a question too', async () => {
    await using engine = await launchEngine();
    const { endpoint, region, credentials } = engine;
    const table = `millrace-${randomUUID()}`;
    await createTable({ table, endpoint, region, credentials });
    const server = await AnswerServer.listen();
    const event = {
      RequestType: 'Create',
      ResponseURL: server.url,
      StackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/Limits/1',
      RequestId: 'request-1',
      LogicalResourceId: 'Limits',
      ResourceProperties: properties({ resources: { api: ['rpm:5/min'] } }, { Table: table, Namespace: 'fresh', Register: 'true' }),
    };
    const script = `const { handler } = require('./index.cjs');
      const context = { getRemainingTimeInMillis: () => 60000 };
      handler(${JSON.stringify(event)}, context)
        .then(() => handler({ action: 'drift' }, context))
        .then((report) => process.stdout.write('REPORT ' + JSON.stringify(report)));`;
    const env = {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      MILLRACE_TABLE: table,
      MILLRACE_NAMESPACE: 'fresh',
      MILLRACE_MANIFEST: 'm',
    };

    const lines = await runBundle(bundle(), script, env);

    expect(JSON.parse(server.puts[0]?.body ?? '{}')).toMatchObject({
      Status: 'SUCCESS',
      PhysicalResourceId: `${table}/fresh/m`,
      Data: { Created: '1' },
    });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'plan', manifest: 'm', summary: { create: 1 } });
    expect(JSON.parse(lines.at(-1)?.replace('REPORT ', '') ?? '')).toMatchObject({ action: 'drift', inSync: true });
    await server.close();
  });
});
