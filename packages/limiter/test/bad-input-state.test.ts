import { createServer } from 'node:net';
import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { createTable, waitForTable } from '@millrace/limiter/admin';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BadCall, describeBadCalls, thrownBy } from './bad-call.js';
import { type BadInputWorld, limits, openBadInputWorld } from './bad-input-world.js';

type Call = BadCall<BadInputWorld>;

const WRONG_TABLE = 'millrace-wrong-keys';
let world: BadInputWorld;
let closedPort: number;
beforeAll(async () => {
  [world, closedPort] = await Promise.all([openBadInputWorld(), portThatIsClosed()]);
  await world.table.client.send(
    new CreateTableCommand({
      TableName: WRONG_TABLE,
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
});
afterAll(async () => {
  await world.table.client.send(new DeleteTableCommand({ TableName: WRONG_TABLE }));
  await world.close();
});

/** A port that was free a moment ago, so that nobody listens there. */
function portThatIsClosed(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

const opening = (change: (world: BadInputWorld) => Partial<RateLimiterOptions>) => (from: BadInputWorld) =>
  RateLimiter.open({ table: from.table.table, ...from.table.connection, ...change(from) });

describeBadCalls('worlds in which nothing opens', () => world, [
  {
    title: 'no such table',
    call: opening(() => ({ table: 'no-such-table' })),
    code: 'TABLE_NOT_FOUND',
    says: ['"no-such-table"', 'createTable', 'region and endpoint'],
  },
  {
    title: 'a table with other keys',
    call: opening(() => ({ table: WRONG_TABLE })),
    code: 'TABLE_UNUSABLE',
    says: [WRONG_TABLE, 'not a table of Millrace'],
  },
  {
    title: 'no such namespace',
    call: opening(() => ({ namespace: 'tenant-1' })),
    code: 'NAMESPACE_NOT_FOUND',
    says: ['"tenant-1"', 'register it', 'millrace-'],
  },
  {
    title: 'an endpoint where nobody listens',
    call: opening(() => ({ endpoint: `http://127.0.0.1:${closedPort}` })),
    code: 'UNAVAILABLE',
    says: ['millrace-', 'ECONNREFUSED', '127.0.0.1'],
  },
  {
    title: 'an endpoint where nobody listens, by the name of the host',
    call: opening(() => ({ endpoint: `http://localhost:${closedPort}` })),
    code: 'UNAVAILABLE',
    says: ['millrace-', 'ECONNREFUSED'],
  },
  {
    title: 'a host that does not exist',
    call: opening(() => ({ endpoint: 'http://no-such-host.invalid', deadlineMs: 500 })),
    code: 'UNAVAILABLE',
    says: ['millrace-', 'no-such-host.invalid'],
  },
  {
    title: 'a provider of credentials that throws',
    call: opening(() => ({ credentials: () => Promise.reject(new Error('the vault is sealed')) })),
    code: 'CREDENTIALS',
    says: ['no usable AWS credentials', 'millrace-', 'the vault is sealed'],
  },
  {
    title: 'a table with other keys, when it is to be created',
    call: ({ table }) => createTable({ table: WRONG_TABLE, ...table.connection }),
    code: 'TABLE_UNUSABLE',
    says: [WRONG_TABLE, 'not a table of Millrace'],
  },
  {
    title: 'a table that does not come to be in time',
    call: ({ table }) => waitForTable({ table: 'no-such-table', ...table.connection, timeoutMs: 1 }),
    code: 'TABLE_UNUSABLE',
    says: ['"no-such-table"', 'ABSENT', '1 ms', 'ACTIVE'],
  },
] satisfies Call[]);

describe('without any credentials', () => {
  const HIDDEN = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'];
  const RELATIVE = ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'];

  it('says so, names the table, and keeps what the SDK said', async () => {
    for (const name of [...HIDDEN, ...RELATIVE]) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere/config');
    const { endpoint, region } = world.table.connection;

    const error = await thrownBy(() => RateLimiter.open({ table: world.table.table, endpoint, region }));

    expect(error).toMatchObject({ name: 'MillraceError', code: 'CREDENTIALS', cause: { cause: { name: 'CredentialsProviderError' } } });
    expect((error as Error).message).toContain(`no usable AWS credentials for table "${world.table.table}"`);
    vi.unstubAllEnvs();
  });

  it('and without a region asks for that', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere/config');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
    const { endpoint, credentials } = world.table.connection;

    const error = await thrownBy(() => RateLimiter.open({ table: world.table.table, endpoint, credentials }));

    expect(error).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('AWS_REGION') });
    vi.unstubAllEnvs();
  });
});

const closed = (title: string, operation: string, call: (world: BadInputWorld) => unknown): Call => ({
  title,
  call,
  code: 'CLOSED',
  says: [operation, 'the limiter is closed', 'open a new one'],
});

describeBadCalls('calls on a limiter that is closed', () => world, [
  closed('acquire', 'acquire', (from) => from.closed.acquire('child', 'api', { rpm: 1 }, { limits })),
  closed('tryAcquire', 'acquire', (from) => from.closed.tryAcquire('child', 'api', { rpm: 1 }, { limits })),
  closed('withLease', 'acquire', (from) => from.closed.withLease('child', 'api', { rpm: 1 }, () => 1, { limits })),
  closed('available', 'available', (from) => from.closed.available('child', 'api', { limits })),
  closed('timeUntilAvailable', 'available', (from) => from.closed.timeUntilAvailable('child', 'api', { rpm: 1 }, { limits })),
  closed('creating an entity', 'create an entity', (from) => from.closed.entities.create('new')),
  closed('getting an entity', 'get an entity', (from) => from.closed.entities.get('child')),
  closed('deleting an entity', 'delete an entity', (from) => from.closed.entities.delete('child')),
  closed('listing children', 'list children', (from) => from.closed.entities.children('parent')),
  closed('adjusting its lease', 'settle a lease', (from) => from.orphaned.adjust({ rpm: 1 })),
  closed('releasing its lease', 'settle a lease', (from) => from.orphaned.release()),
]);

describe('a limiter that is closed', () => {
  it('may be closed again, and still tells what it did', async () => {
    await world.closed.close();
    await world.closed[Symbol.asyncDispose]();

    expect(world.closed.stats()).toMatchObject({ acquires: 1, admitted: 1 });
  });
});

const settled = (title: string, operation: string, as: string, call: (world: BadInputWorld) => unknown): Call => ({
  title,
  call,
  code: 'LEASE_SETTLED',
  says: [`cannot ${operation} a lease`, as, 'acquire a new one'],
});

describeBadCalls('calls on a lease', () => world, [
  settled('adjust after commit', 'adjust', 'committed', ({ committed }) => committed.adjust({ rpm: 1 })),
  settled('commit after commit', 'commit', 'committed', ({ committed }) => committed.commit()),
  settled('release after commit', 'release', 'committed', ({ committed }) => committed.release()),
  settled('adjust after release', 'adjust', 'released', ({ released }) => released.adjust({ rpm: -1 })),
  settled('commit after release', 'commit', 'released', ({ released }) => released.commit()),
  settled('release after release', 'release', 'released', ({ released }) => released.release()),
  {
    title: 'giving back more than is held',
    call: ({ open }) => open.adjust({ rpm: -3 }),
    says: ['adjustment of "rpm"', 'at least -2', 'got -3'],
  },
  { title: 'giving back of what is not held', call: ({ open }) => open.adjust({ tpm: -1 }), says: ['adjustment of "tpm"', 'got -1'] },
  {
    title: 'one of two giving back too much',
    call: ({ open }) => open.adjust({ tpm: 1, rpm: -3 }),
    says: ['adjustment of "rpm"', 'got -3'],
  },
  {
    title: 'adjusting by a fraction',
    call: ({ open }) => open.adjust({ rpm: 0.5 }),
    says: ['adjustment of "rpm"', 'whole number', 'got 0.5'],
  },
  { title: 'adjusting by a text', call: ({ open }) => open.adjust({ rpm: '1' } as never), says: ['adjustment of "rpm"', 'got "1"'] },
  { title: 'adjusting by NaN', call: ({ open }) => open.adjust({ rpm: Number.NaN }), says: ['adjustment of "rpm"', 'got NaN'] },
  { title: 'adjusting by 2^53', call: ({ open }) => open.adjust({ rpm: 2 ** 53 }), says: ['adjustment of "rpm"', 'got 9007199254740992'] },
  {
    title: 'adjusting a limit that is not there',
    call: ({ open }) => open.adjust({ rps: 1 }),
    says: ['"child" on "api"', 'rpm, tpm', '"rps"'],
  },
  { title: 'adjusting by an array', call: ({ open }) => open.adjust([1] as never), says: ['adjustment', 'an array of 1'] },
  { title: 'adjusting by nothing', call: ({ open }) => open.adjust(undefined as never), says: ['adjustment', 'got undefined'] },
]);
