import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCHEDULE_EVENT } from '@millrace/aggregator-lambda';
import { bundleOptions } from '@millrace/aggregator-lambda/bundle';
import { createTable } from '@millrace/limiter/admin';
import { launchEngine } from '@millrace/testing';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const MOST_BYTES = 400_000;

async function bundled(): Promise<Uint8Array> {
  const { outputFiles } = await build({ ...bundleOptions(join(here, '../src/lambda.ts')), write: false });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

let bundle: Uint8Array;
beforeAll(async () => {
  bundle = await bundled();
});

describe('the bundled function', () => {
  it('has at most 400 kB, with the SDK in it', () => {
    console.log(`${bundle.length} bytes`);
    expect(bundle.length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('is built twice to the same bytes', async () => {
    expect(Buffer.compare(await bundled(), bundle)).toBe(0);
  });

  it('holds no path of the machine that built it', () => {
    expect(Buffer.from(bundle).toString('utf8')).not.toContain(here);
  });

  it('is required and invoked with a recorded event, as the runtime does it: what is read is written, what is not is reported', async () => {
    await using engine = await launchEngine();
    const { endpoint, region, credentials } = engine;
    const table = `millrace-${randomUUID()}`;
    await createTable({ table, endpoint, region, credentials });
    const folder = await mkdtemp(join(tmpdir(), 'millrace-bundle-'));
    const event = await readFile(join(here, 'recorded-event.json'), 'utf8');
    await writeFile(join(folder, 'index.cjs'), bundle);
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

    const said = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, ['-e', script], { cwd: folder, env, timeout: 30_000 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
      );
    });

    const lines = said.split('\n');
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
    await rm(folder, { recursive: true });
  });
});
