import { type AcquireOptions, RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { createTable, deleteTable, waitForTable } from '@millrace/limiter/admin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BadCall, describeBadCalls } from './bad-call.js';
import { type BadInputWorld, limits, openBadInputWorld } from './bad-input-world.js';

type Call = BadCall<BadInputWorld>;

let world: BadInputWorld;
beforeAll(async () => {
  world = await openBadInputWorld();
});
afterAll(() => world.close());

const opening = (title: string, change: Record<string, unknown>, says: readonly string[]): Call => ({
  title,
  call: ({ table }) => RateLimiter.open({ table: table.table, ...table.connection, ...change } as unknown as RateLimiterOptions),
  says,
});

describeBadCalls('options of open that are refused', () => world, [
  { title: 'none', call: () => RateLimiter.open(undefined as never), says: ['options', 'an object', 'got undefined'] },
  { title: 'a string', call: () => RateLimiter.open('millrace' as never), says: ['options', 'an object', 'got "millrace"'] },
  { title: 'an array', call: () => RateLimiter.open([] as never), says: ['options', 'an object'] },
  opening('a key that nobody reads', { tabel: 'millrace' }, ['options key', 'one of table, namespace', 'got "tabel"']),
  opening('no table', { table: undefined }, ['option "table"', 'got undefined']),
  opening('a table that is no string', { table: 7 }, ['option "table"', 'got 7']),
  opening('a table name too short', { table: 'ab' }, ['option "table"', '3 to 255', 'got "ab"']),
  opening('a table name too long', { table: 'x'.repeat(256) }, ['option "table"', '(256 characters)']),
  opening('a table name with a blank', { table: 'my table' }, ['option "table"', 'got "my table"']),
  opening('a namespace with a line break', { namespace: 'a\nb' }, ['namespace', 'printable']),
  opening('an empty namespace', { namespace: '' }, ['namespace', 'at least one character']),
  opening('a namespace that is no string', { namespace: 1 }, ['namespace', 'got 1']),
  opening('an endpoint that is no URL', { endpoint: 'here' }, ['option "endpoint"', 'a URL', 'got "here"']),
  opening('an endpoint without its scheme', { endpoint: 'localhost:8000' }, ['option "endpoint"', 'a URL', 'got "localhost:8000"']),
  opening('an endpoint of another scheme', { endpoint: 'ftp://127.0.0.1' }, ['option "endpoint"', 'a URL', 'got "ftp://127.0.0.1"']),
  opening('an endpoint that is no string', { endpoint: 8000 }, ['option "endpoint"', 'got 8000']),
  opening('a region that is no string', { region: 1 }, ['option "region"', 'got 1']),
  opening('an empty region', { region: '' }, ['option "region"', 'got ""']),
  opening('a client that cannot send', { client: {} }, ['option "client"', 'a DynamoDBClient', 'an empty object']),
  opening('a client that is a name', { client: 'dynamodb' }, ['option "client"', 'got "dynamodb"']),
  opening('a transport of another name', { transport: 'http' }, ['option "transport"', '"lean" or "sdk"', 'got "http"']),
  opening('a transport that is null', { transport: null }, ['option "transport"', 'got null']),
  {
    title: 'the lean transport beside a client, which it would not use',
    call: ({ table }) => RateLimiter.open({ table: table.table, client: table.client, transport: 'lean' }),
    says: ['option "transport"', 'beside "client"', 'got "lean"'],
  },
  opening('no connections at all', { maxConnections: 0 }, ['option "maxConnections"', 'got 0']),
  opening('half a connection', { maxConnections: 0.5 }, ['option "maxConnections"', 'got 0.5']),
  {
    title: 'a bound on connections beside a client, which has its own',
    call: ({ table }) => RateLimiter.open({ table: table.table, client: table.client, maxConnections: 10 }),
    says: ['option "maxConnections"', 'beside "client"', 'got 10'],
  },
  opening('a clock that is a function', { clock: () => 1 }, ['option "clock"', 'nowMs()', 'a function']),
  opening('a clock without nowMs', { clock: { now: () => 1 } }, ['option "clock"', 'nowMs()', 'an object with now']),
  opening('a correction of the clock by a number', { clockCorrection: 250 }, ['option "clockCorrection"', 'true or false', 'got 250']),
  opening('a clock that is null', { clock: null }, ['option "clock"', 'got null']),
  {
    title: 'a clock that tells no time, at once or with the first acquire',
    call: async ({ table }) => {
      const limiter = await RateLimiter.open({ table: table.table, ...table.connection, clock: { nowMs: () => Number.NaN } });
      await limiter.acquire('child', 'api', { rpm: 1 }, { limits });
    },
    says: ['clock', 'NaN'],
  },
  opening('a request timeout of 0', { requestTimeoutMs: 0 }, ['option "requestTimeoutMs"', 'got 0']),
  opening('a request timeout of a fraction', { requestTimeoutMs: 1.5 }, ['option "requestTimeoutMs"', 'got 1.5']),
  opening('a deadline that is no number', { deadlineMs: '3000' }, ['option "deadlineMs"', 'got "3000"']),
  opening('a deadline that never ends', { deadlineMs: Number.POSITIVE_INFINITY }, ['option "deadlineMs"', 'got Infinity']),
  opening('a configTtlMs below 0', { configTtlMs: -1 }, ['option "configTtlMs"', 'got -1']),
  opening('a prefetch that is a time', { prefetch: 1_000 }, ['option "prefetch"', 'an object', 'got 1000']),
  opening('a prefetch of null', { prefetch: null }, ['option "prefetch"', 'got null']),
  opening('a prefetch key that nobody reads', { prefetch: { ttlMs: 5 } }, ['option "prefetch" key', 'lifetimeMs', 'got "ttlMs"']),
  opening('a prefetch that lasts for ever', { prefetch: { lifetimeMs: 60_001 } }, ['option "prefetch.lifetimeMs"', '60000', 'got 60001']),
  opening('a prefetch that lasts no time', { prefetch: { lifetimeMs: 9 } }, ['option "prefetch.lifetimeMs"', 'from 10', 'got 9']),
  opening('a prefetch of half a token', { prefetch: { maxTokens: 0.5 } }, ['option "prefetch.maxTokens"', 'got 0.5']),
  opening('a prefetch for no resource', { prefetch: { resources: [] } }, ['option "prefetch.resources"', 'an array of 1 to']),
  opening('a prefetch for a resource that is not in an array', { prefetch: { resources: 'api' } }, [
    'option "prefetch.resources"',
    'got "api"',
  ]),
  opening('a prefetch for a resource without a name', { prefetch: { resources: [''] } }, ['resource', 'at least one character']),
  opening('no items at all', { maxShards: 0 }, ['option "maxShards"', 'got 0']),
  opening('more items than a bucket may have', { maxShards: 33 }, ['option "maxShards"', '32']),
  opening('a part of an item', { maxShards: 1.5 }, ['option "maxShards"', 'got 1.5']),
  opening('no entries at all', { maxEntries: 0 }, ['option "maxEntries"', 'got 0']),
]);

const acquiring = (title: string, options: unknown, says: readonly string[]): Call[] => [
  {
    title: `acquire: ${title}`,
    call: ({ limiter }) => limiter.acquire('child', 'api', { rpm: 1 }, options as AcquireOptions),
    says,
  },
  {
    title: `withLease: ${title}`,
    call: ({ limiter }) => limiter.withLease('child', 'api', { rpm: 1 }, () => undefined, options as AcquireOptions),
    says,
  },
];

describeBadCalls('options of an acquire that are refused', () => world, [
  ...acquiring('null', null, ['options', 'got null']),
  ...acquiring('an array', [], ['options', 'an array of 0']),
  ...acquiring('a key that nobody reads', { limits, waitMS: 1 }, ['options key', 'got "waitMS"']),
  ...acquiring('a signal that is its controller', { limits, signal: new AbortController() }, ['option "signal"', 'an AbortSignal']),
  ...acquiring('a signal that is true', { limits, signal: true }, ['option "signal"', 'got true']),
  ...acquiring('a signal that is null', { limits, signal: null }, ['option "signal"', 'got null']),
  ...acquiring('a signal that nobody can listen to', { limits, signal: { aborted: false } }, ['option "signal"', 'an AbortSignal']),
  ...acquiring('onUnavailable of another word', { limits, onUnavailable: 'throw' }, [
    'option "onUnavailable"',
    '"block" or "allow"',
    '"throw"',
  ]),
  ...acquiring('onUnavailable of true', { limits, onUnavailable: true }, ['option "onUnavailable"', 'got true']),
  ...acquiring('onUnavailable of null', { limits, onUnavailable: null }, ['option "onUnavailable"', 'got null']),
  {
    title: 'withLease: work that cannot be called',
    call: ({ limiter }) => limiter.withLease('child', 'api', { rpm: 1 }, 'work' as never, { limits }),
    says: ['a function', 'got "work"'],
  },
  {
    title: 'available: a key that only acquire reads',
    call: ({ limiter }) => limiter.available('child', 'api', { limits, onUnavailable: 'allow' } as never),
    says: ['options key', 'got "onUnavailable"'],
  },
  {
    title: 'timeUntilAvailable: a key that nobody reads',
    call: ({ limiter }) => limiter.timeUntilAvailable('child', 'api', { rpm: 1 }, { limits, now: 1 } as never),
    says: ['options key', 'got "now"'],
  },
]);

const tables = [
  ['createTable', createTable],
  ['deleteTable', deleteTable],
  ['waitForTable', waitForTable],
] as const;

describeBadCalls(
  'options of the admin calls that are refused',
  () => world,
  tables.flatMap(([name, call]): Call[] => [
    { title: `${name}: none`, call: () => call(undefined as never), says: ['options', 'got undefined'] },
    {
      title: `${name}: a key that nobody reads`,
      call: ({ table }) => call({ table: 'new-table', ...table.connection, billing: 'x' } as never),
      says: ['options key', 'got "billing"'],
    },
    { title: `${name}: no table`, call: ({ table }) => call({ ...table.connection } as never), says: ['option "table"', 'got undefined'] },
    {
      title: `${name}: a table name with a slash`,
      call: ({ table }) => call({ table: 'a/b/c', ...table.connection }),
      says: ['option "table"', 'got "a/b/c"'],
    },
    {
      title: `${name}: a timeout of 0`,
      call: ({ table }) => call({ table: table.table, ...table.connection, timeoutMs: 0 }),
      says: ['option "timeoutMs"', 'got 0'],
    },
    {
      title: `${name}: an endpoint that is no URL`,
      call: ({ table }) => call({ table: table.table, ...table.connection, endpoint: 'nowhere' }),
      says: ['option "endpoint"', 'got "nowhere"'],
    },
  ]),
);

describe('an option that is misspelt', () => {
  it('is refused before its limiter sends anything', async () => {
    const { requests } = world.limiter.stats();

    await expect(world.limiter.acquire('child', 'api', { rpm: 1 }, { limit: limits } as never)).rejects.toThrow('"limit"');

    expect(world.limiter.stats().requests).toEqual(requests);
  });
});
