import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { installedEngines } from './installed-engines.js';
import { launchEngine } from './launch-engine.js';
import type { LocalEngine } from './local-engine.js';

const engines = await installedEngines();
/** With the names of the engines that DYNAMODB_ENDPOINT would replace. */
const { DYNAMODB_ENDPOINT: _named, ...env } = process.env;

describe.each(engines)('launching $name', { timeout: 60_000 }, ({ name, ...state }) => {
  it('answers a signed request', async ({ skip }) => {
    if (!state.available) skip(state.reason);
    await using engine = await launchEngine({ engine: name });

    expect(engine.name).toBe(name);
    expect(await call(engine, 'ListTables', {})).toEqual({ TableNames: [] });
  });
});

describe('launching', { timeout: 60_000 }, () => {
  const needsDynoxide = ({ skip }: TestContext): void => {
    const found = engines.find((engine) => engine.name === 'dynoxide');
    if (found?.available !== true) skip(found?.reason ?? 'dynoxide is not known here');
  };

  it('takes dynoxide when nobody names an engine', async (context) => {
    needsDynoxide(context);
    await using engine = await launchEngine({ env });

    expect(engine.name).toBe('dynoxide');
    expect(engine.region).toBe('us-east-1');
  });

  it('gives two at once their own ports and tables', async (context) => {
    needsDynoxide(context);
    const [one, other] = await Promise.all([launchEngine({ env }), launchEngine({ env })]);
    await createTable(one);

    expect(one.endpoint).not.toBe(other.endpoint);
    expect(await call(other, 'ListTables', {})).toEqual({ TableNames: [] });
    await Promise.all([one.close(), other.close()]);
  });

  it('keeps its tables in the file of dbPath, whose folder it makes', async (context) => {
    needsDynoxide(context);
    const folder = await mkdtemp(join(tmpdir(), 'millrace-launch-test-'));
    const dbPath = join(folder, 'deeper', 'tables.db');
    const first = await launchEngine({ env, dbPath });
    await createTable(first);
    await first.close();

    const second = await launchEngine({ env, dbPath });
    const tables = await call(second, 'ListTables', {});
    await second.close();

    expect(tables).toEqual({ TableNames: ['kept'] });
    await rm(folder, { recursive: true });
  });

  it('launches nothing when DYNAMODB_ENDPOINT names one, and signs with the keys of the environment', async () => {
    const named = { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1', DYNOXIDE_BINARY: '/gone' };
    const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-west-1' };

    const engine = await launchEngine({ env: { ...named, ...keys } });
    const keyless = await launchEngine({ env: named });

    expect(engine).toMatchObject({ name: 'endpoint', endpoint: 'http://127.0.0.1:1', region: 'eu-west-1' });
    expect(engine.credentials).toEqual({ accessKeyId: 'key', secretAccessKey: 'secret' });
    expect(keyless.credentials).toEqual({ accessKeyId: 'millrace', secretAccessKey: 'millrace' });
    expect(keyless.region).toBe('us-east-1');
    await engine.close();
  });

  it('says which variable is wrong', async () => {
    await expect(launchEngine({ env: { DYNAMODB_ENDPOINT: 'here' } })).rejects.toThrow('DYNAMODB_ENDPOINT: "here"');
    await expect(launchEngine({ env: { DYNOXIDE_BINARY: '/gone' } })).rejects.toThrow('launchEngine: DYNOXIDE_BINARY: /gone');
  });

  it('names the engine that was asked for and is not there', async () => {
    await expect(launchEngine({ engine: 'dynamodb-local', env: {} })).rejects.toThrow(
      'launchEngine: dynamodb-local: DYNAMODB_LOCAL_JAR: not set',
    );
  });
});

function createTable(engine: LocalEngine): Promise<unknown> {
  return call(engine, 'CreateTable', {
    TableName: 'kept',
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
}

/** One request with an AWS signature, version 4: this package has no SDK. */
async function call(engine: LocalEngine, operation: string, input: object): Promise<unknown> {
  const body = JSON.stringify(input);
  const at = `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const scope = `${at.slice(0, 8)}/${engine.region}/dynamodb/aws4_request`;
  const target = `DynamoDB_20120810.${operation}`;
  const signed = `host:${new URL(engine.endpoint).host}\nx-amz-date:${at}\nx-amz-target:${target}\n`;
  const names = 'host;x-amz-date;x-amz-target';
  const toSign = ['AWS4-HMAC-SHA256', at, scope, sha256(['POST', '/', '', signed, names, sha256(body)].join('\n'))].join('\n');
  let key: string | Buffer = `AWS4${engine.credentials.secretAccessKey}`;
  for (const part of [...scope.split('/'), toSign]) key = createHmac('sha256', key).update(part).digest();
  const credential = `${engine.credentials.accessKeyId}/${scope}`;
  const response = await fetch(engine.endpoint, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-date': at,
      'x-amz-target': target,
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${Buffer.from(key).toString('hex')}`,
    },
  });
  return response.json();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
