import { randomUUID } from 'node:crypto';
import { RateLimiter } from '@millrace/limiter';
import { awsProvisioner } from '@millrace/limits-provisioner-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EngineTable, launchTable } from '../../../packages/limiter/test/engine-table.js';
import { FaultyProxy } from '../../../packages/limiter/test/faulty-proxy.js';
import { AnswerServer } from './answer-server.js';
import { entities, properties as propertiesOf } from './stack-world.js';

type Fields = Readonly<Record<string, unknown>>;

let table: EngineTable;
let proxy: FaultyProxy;
let server: AnswerServer;
/** Requests that were sent to the table, by the proxy's name of them. */
let seen: { operation: string; body: string }[] = [];

beforeAll(async () => {
  table = await launchTable();
  proxy = await FaultyProxy.before(table.engine.endpoint);
});
afterAll(async () => {
  await proxy.close();
  await table.close();
});
beforeEach(async () => {
  server = await AnswerServer.listen();
  seen = [];
  proxy.spoil((request) => void seen.push(request));
});
afterEach(() => server.close());

/** The function as it is deployed, but for where it sends. */
function provisioner(lines: string[] = []) {
  const reaching = { ...table.connection, endpoint: proxy.endpoint, requestTimeoutMs: 30_000, deadlineMs: 1_000 };
  const home = { table: table.table, namespace: 'default', manifest: 'm' };
  return awsProvisioner(() => home, {
    reaching,
    write: (line) => void lines.push(line),
    sleep: (ms, signal) => (signal === undefined ? Promise.resolve() : new Promise(() => ms)),
  });
}

async function ask(type: 'Create' | 'Update' | 'Delete', properties: Fields, more: Fields = {}): Promise<Fields> {
  const event = {
    RequestType: type,
    ResponseURL: server.url,
    StackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/Limits/1',
    RequestId: randomUUID(),
    LogicalResourceId: 'Limits',
    ...(type === 'Create' ? {} : { PhysicalResourceId: `${table.table}/default/m` }),
    ResourceProperties: { ...properties, Table: table.table },
    ...more,
  };
  await provisioner()(event, { getRemainingTimeInMillis: () => 300_000 });
  return JSON.parse(server.puts.at(-1)?.body ?? '{}') as Fields;
}

const properties = (source: unknown, more: Fields = {}): Fields => propertiesOf(source, { Prune: 'true', OnDelete: 'remove', ...more });
const first = properties({ entities: entities('rpm:2/min', 0, 40) });
const second = properties({ system: { limits: ['rpm:9/min'] }, entities: entities('rpm:3/min', 20, 60) });

describe('a stack over a real engine', () => {
  it('creates limits that a service obeys at once, changes, compares and removes them', async () => {
    await using limiter = await RateLimiter.open({ ...table.connection, table: table.table, configTtlMs: 0 });

    expect(await ask('Create', first)).toMatchObject({ Status: 'SUCCESS', Data: { Created: '40' } });
    await limiter.acquire('key-7', 'gpt-4', { rpm: 2 });
    expect(await limiter.tryAcquire('key-7', 'gpt-4', { rpm: 1 })).toMatchObject({ allowed: false });

    expect(await ask('Update', second)).toMatchObject({ Status: 'SUCCESS', Data: { Created: '21', Updated: '20', Deleted: '20' } });
    await limiter.limits.deleteSystem();
    const report = await provisioner()({ action: 'drift' }, { getRemainingTimeInMillis: () => 300_000 });
    expect(report).toMatchObject({ inSync: false, drift: [{ kind: 'missing', target: 'system' }] });

    expect(await ask('Delete', second)).toMatchObject({ Status: 'SUCCESS', Data: { Deleted: '40' } });
    expect(await limiter.limits.getEntityDefault('key-30')).toBeUndefined();
  });

  it('is as before when a write fails for good in the middle of an update', async () => {
    await using limiter = await RateLimiter.open({ ...table.connection, table: table.table });
    await ask('Create', first);
    const before = await Promise.all(['key-1', 'key-21', 'key-41'].map((entity) => limiter.limits.getEntityDefault(entity)));
    let transactions = 0;
    proxy.spoil(({ operation, body }) => {
      if (operation !== 'TransactWriteItems' || !body.includes('key-')) return undefined;
      transactions += 1;
      return transactions === 2 ? { kind: 'answer', status: 400, type: 'AccessDeniedException', carriedOut: false } : undefined;
    });

    const answer = await ask('Update', second);

    expect(answer['Status']).toBe('FAILED');
    expect(answer['Reason']).toMatch(/^access to table ".*" was denied: .*; what was changed is as it was before \(\d+ put back\)$/);
    const after = await Promise.all(['key-1', 'key-21', 'key-41'].map((entity) => limiter.limits.getEntityDefault(entity)));
    const shown = (levels: typeof after) => levels.map((level) => [level?.limits, level?.managedBy]);
    expect(shown(after)).toEqual(shown(before));
    expect(await limiter.limits.getSystem()).toBeUndefined();
  });

  it('registers a namespace that is not there where it is told to, and fails with that reason where it is not', async () => {
    const elsewhere = properties({ resources: { api: ['rpm:5/min'] } }, { Namespace: 'acme' });
    expect(await ask('Create', elsewhere)).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining('has no namespace "acme"') });
    expect(await ask('Create', { ...elsewhere, Register: 'true' })).toMatchObject({ Status: 'SUCCESS' });
    await using limiter = await RateLimiter.open({ ...table.connection, table: table.table, namespace: 'acme' });
    expect(await limiter.limits.getResource('api')).toMatchObject({ managedBy: 'm' });
  });

  it('goes away quietly when the table has gone before it', async () => {
    const reaching = { ...table.connection, endpoint: proxy.endpoint };
    const gone = awsProvisioner(() => ({ table: 'gone', namespace: 'default', manifest: 'm' }), { reaching, write: () => undefined });
    const event = {
      RequestType: 'Delete',
      ResponseURL: server.url,
      StackId: 's',
      RequestId: 'r',
      LogicalResourceId: 'Limits',
      PhysicalResourceId: 'gone/default/m',
      ResourceProperties: properties({}, { Table: 'gone' }),
    };
    await gone(event, { getRemainingTimeInMillis: () => 300_000 });
    const answer = JSON.parse(server.puts.at(-1)?.body ?? '{}') as { Data: Fields };
    expect(answer).toMatchObject({ Status: 'SUCCESS' });
    expect(answer.Data['Note']).toMatch(/^there is nothing to remove: there is no table "gone" here/);
  });

  it('needs these actions on items, and no others', async () => {
    await ask(
      'Create',
      properties({ name: 'w', resources: { a: ['rpm:1/min'], b: ['rpm:1/min'] } }, { Namespace: 'fresh', Register: 'true' }),
    );
    await ask('Update', properties({ name: 'w', resources: { a: ['rpm:2/min'] } }, { Namespace: 'fresh' }));
    await ask('Delete', properties({ name: 'w' }, { Namespace: 'fresh' }));

    const actions = seen.flatMap(({ operation, body }) => (operation === 'TransactWriteItems' ? actionsIn(body) : [operation]));

    expect([...new Set(actions)].sort()).toEqual(['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem']);
  });
});

/** What IAM asks about for a transaction: the actions of its parts. */
function actionsIn(body: string): readonly string[] {
  const { TransactItems: items } = JSON.parse(body) as { readonly TransactItems: readonly object[] };
  return items.flatMap((item) => Object.keys(item)).map((kind) => (kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`));
}
