import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { type LocalEngine, launchEngine } from '@millrace/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DirectSession } from '../src/k6/direct-session.js';
import { GatewaySession } from '../src/k6/gateway.js';
import { Meter } from '../src/k6/meter.js';
import { type Gateway, startGateway } from '../src/node/gateway.js';
import { readBooks } from '../src/node/read-books.js';
import type { Session } from '../src/plan/session.js';
import type { RunSettings } from '../src/plan/settings.js';
import { measured } from './shims/metrics.js';

const TABLE = 'load-sessions';
const RESOURCES = { api: [Limit.perHour('rph', 3), Limit.perMinute('tpm', 1_000)] };
let [engine, limiter, gateway, settings]: [LocalEngine, RateLimiter, Gateway, RunSettings] = [] as never;

beforeAll(async () => {
  engine = await launchEngine();
  const { endpoint, region, credentials } = engine;
  await createTable({ table: TABLE, endpoint, region, credentials });
  limiter = await RateLimiter.open({ table: TABLE, endpoint, region, credentials, requestTimeoutMs: 30_000, deadlineMs: 60_000 });
  await limiter.limits.setResource('api', RESOURCES.api);
  gateway = await startGateway(limiter);
  settings = {
    scenario: 'test',
    mode: 'direct',
    run: 'test',
    table: TABLE,
    namespace: 'default',
    endpoint,
    region,
    gateway: gateway.url,
    users: 1,
    durationMs: 1_000,
    cascade: false,
    callers: 1,
    requestTimeoutMs: 30_000,
  };
});
afterAll(async () => {
  await gateway?.close();
  await limiter?.close();
  await engine?.close();
});
beforeEach(() => measured.clear());

const environment = () => ({
  AWS_ACCESS_KEY_ID: engine.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: engine.credentials.secretAccessKey,
});
const direct = (more: Partial<RunSettings> = {}) => new DirectSession({ ...settings, ...more }, new Meter(['rph', 'tpm']), environment());
const count = (name: string): number => measured.get(name)?.length ?? 0;
const total = (name: string): number => (measured.get(name) ?? []).reduce((sum, sample) => sum + sample, 0);

const kinds: readonly [string, () => Session][] = [
  ['in the user', () => direct()],
  ['behind the Node service', () => new GatewaySession(settings, new Meter(['rph', 'tpm']))],
];

describe.each(kinds)('a session %s', (kind, open) => {
  const entity = (name: string): string => `${name} ${kind}`;
  async function netOf(name: string): Promise<Record<string, number>> {
    const world = { resources: RESOURCES, own: [], entities: [] };
    const books = await readBooks({ connection: engine, table: TABLE }, world, Date.now());
    return Object.fromEntries(books.filter((book) => book.entity === entity(name)).map(({ limit, net }) => [limit, net]));
  }

  it('takes, adjusts and gives back, and counts to the token what the table says', async () => {
    const session = open();
    const [first, second] = [
      await session.acquire(entity('k'), 'api', { rph: 1, tpm: 100 }),
      await session.acquire(entity('k'), 'api', { rph: 1 }),
    ];
    if (first.kind !== 'held' || second.kind !== 'held') throw new Error('both were to be held');
    await first.held.commit({ tpm: 50, rph: 0 });
    await second.held.release();

    expect(await netOf('k')).toEqual({ rph: 1, tpm: 150 });
    expect([total('taken_rph'), total('taken_tpm'), total('added_tpm'), total('returned_rph')]).toEqual([2, 100, 50, 1]);
    expect([count('acquire'), count('commit'), count('error'), total('limiter_errors')]).toEqual([2, 2, 0, 0]);
    expect(await session.available(entity('k'), 'api')).toMatchObject({ rph: 2 });
    expect(count('available')).toBe(1);
  });

  it('counts a refusal as such, and as no failure', async () => {
    const session = open();
    for (let call = 0; call < 3; call += 1) await session.acquire(entity('r'), 'api', { rph: 1 });

    const answer = await session.acquire(entity('r'), 'api', { rph: 1 });

    expect(answer).toMatchObject({ kind: 'refused', retryAfterMs: expect.any(Number) });
    expect([count('acquire'), count('rate_limited'), total('limiter_refused'), total('limiter_errors')]).toEqual([3, 1, 1, 0]);
    expect(total('taken_rph')).toBe(3);
  });

  it('counts a commit that moves nothing as no sample', async () => {
    const answer = await open().acquire(entity('c'), 'api', { rph: 1 });
    if (answer.kind === 'held') await answer.held.commit();

    expect([answer.kind, count('commit')]).toEqual(['held', 0]);
  });

  it('administers through the Node service, each operation in a series of its own', async () => {
    const session = open();
    await session.manage('set_resource', { resource: `new ${kind}`, limits: ['rpm:7/min'] });
    await session.manage('get_resource', { resource: `new ${kind}` });
    await session.manage('set_resource', { resource: 'wrong', limits: ['no limit'] });

    expect(await limiter.available('anybody', `new ${kind}`)).toEqual({ rpm: 7 });
    expect([count('set_resource'), count('get_resource'), count('error')]).toEqual([1, 1, 1]);
  });
});

describe('a session in the user', () => {
  it('opens its limiter once for all callers, and counts what that and the rest cost', async () => {
    const session = direct();
    await Promise.all([1, 2, 3].map((user) => session.acquire(`cost ${user}`, 'api', { tpm: 1 })));

    expect(count('open_limiter')).toBe(1);
    expect(total('write_units')).toBe(3);
    expect(total('requests')).toBeGreaterThanOrEqual(4);
    expect(total('read_units')).toBeGreaterThan(0);
  });

  it('notes for charts what was admitted, what was rejected, and what each took, and only where charts are wanted', async () => {
    await direct().acquire('plain', 'api', { rph: 1 });
    expect([count('admitted'), count('rejected'), count('write_units_per_acquire')]).toEqual([0, 0, 0]);

    const session = new DirectSession(settings, new Meter(['rph', 'tpm'], true), environment());
    for (let call = 0; call < 4; call += 1) await session.acquire('charts', 'api', { rph: 1 });

    expect([total('admitted'), total('rejected')]).toEqual([3, 1]);
    // The other one was of the session without charts.
    expect(total('write_units_per_acquire')).toBe(total('write_units') - 1);
    expect(count('write_units_per_acquire')).toBe(4);
  });

  it('reads limits again when they are older than a scenario wants them', async () => {
    const session = direct({ configTtlMs: 0 });
    await session.acquire('fresh', 'api', { tpm: 1 });
    const before = total('read_units');
    await session.acquire('fresh', 'api', { tpm: 1 });

    expect(total('read_units')).toBeGreaterThan(before);
  });

  it.each([
    ['where nobody listens', { endpoint: 'http://127.0.0.1:1' }],
    ['without its namespace', { namespace: 'nobody' }],
    ['without its table', { table: 'nobody' }],
  ])('%s fails each call, and goes on', async (_, more) => {
    const session = direct({ ...more, requestTimeoutMs: 200 });

    expect(await session.acquire('k', 'api', { rph: 1 })).toEqual({ kind: 'failed' });
    expect(await session.available('k', 'api')).toBeUndefined();
    expect([count('error'), total('limiter_errors'), count('acquire')]).toEqual([2, 2, 0]);
  });

  it('counts the tokens of a call without an answer as unknown, once its limiter is open', async () => {
    const session = direct({ requestTimeoutMs: 30_000 });
    await session.acquire('u', 'api', { tpm: 1 });

    expect(await session.acquire('u', 'unheard-of', { tpm: 5 })).toEqual({ kind: 'failed' });
    expect(total('unknown_tpm')).toBe(5);
  });
});
