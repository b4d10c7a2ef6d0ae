import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTable } from '@millrace/limiter/admin';
import { bundleOptions } from '@millrace/limits-provisioner-lambda/bundle';
import { launchEngine } from '@millrace/testing';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { AnswerServer } from './answer-server.js';
import { properties } from './stack-world.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const MOST_BYTES = 500_000;

async function bundled(): Promise<Uint8Array> {
  const { outputFiles } = await build({ ...bundleOptions(join(here, '../src/lambda.ts')), write: false });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

let bundle: Uint8Array;
beforeAll(async () => {
  bundle = await bundled();
});

describe('the bundled function', () => {
  it('has at most 500 kB, with the SDK in it', () => {
    console.log(`${bundle.length} bytes`);
    expect(bundle.length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('is built twice to the same bytes', async () => {
    expect(Buffer.compare(await bundled(), bundle)).toBe(0);
  });

  it('holds no path of the machine that built it', () => {
    expect(Buffer.from(bundle).toString('utf8')).not.toContain(here);
  });

  it('is required and invoked, as the runtime does it: a stack is answered, and a question too', async () => {
    await using engine = await launchEngine();
    const { endpoint, region, credentials } = engine;
    const table = `millrace-${randomUUID()}`;
    await createTable({ table, endpoint, region, credentials });
    const server = await AnswerServer.listen();
    const folder = await mkdtemp(join(tmpdir(), 'millrace-bundle-'));
    await writeFile(join(folder, 'index.cjs'), bundle);
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

    const said = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, ['-e', script], { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
      );
    });

    expect(JSON.parse(server.puts[0]?.body ?? '{}')).toMatchObject({
      Status: 'SUCCESS',
      PhysicalResourceId: `${table}/fresh/m`,
      Data: { Created: '1' },
    });
    const lines = said.split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'plan', manifest: 'm', summary: { create: 1 } });
    expect(JSON.parse(lines.at(-1)?.replace('REPORT ', '') ?? '')).toMatchObject({ action: 'drift', inSync: true });
    await server.close();
    await rm(folder, { recursive: true });
  });
});
