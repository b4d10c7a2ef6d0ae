import { Limit, RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EngineTable, launchTable } from './engine-table.js';

const NOW_MS = 1_800_000_000_000;
const CAPACITY = 10;
const limits = [Limit.perMinute('rpm', CAPACITY), Limit.perMinute('tpm', 1_000, { reserve: 0 })];

let table: EngineTable;
const opened: RateLimiter[] = [];
let limiter: RateLimiter;
let tests = 0;
beforeAll(async () => {
  table = await launchTable();
});
beforeEach(async () => {
  tests += 1;
  limiter = await open();
});
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await table.close();
});

async function open(options: Partial<RateLimiterOptions> = {}): Promise<RateLimiter> {
  const common = { table: table.table, clock: { nowMs: () => NOW_MS }, requestTimeoutMs: 30_000 };
  const each = await RateLimiter.open({ ...table.connection, ...common, ...options });
  opened.push(each);
  return each;
}

/** A name that is this test's own. */
const own = (name: string) => `${tests}-${name}`;

/** What is left in an entity's own bucket, whatever its ancestors have. */
async function left(entity: string, limit = 'rpm'): Promise<number | undefined> {
  const only = (name: string) => (name === entity ? limits : undefined);
  return (await limiter.available(entity, 'api', { limits: only }))[limit];
}
const allLeft = (entities: readonly string[]) => Promise.all(entities.map((entity) => left(entity)));

describe('entities', () => {
  it('are given as they were created, with all their ancestors', async () => {
    const [org, project, key] = [own('org'), own('project'), own('key')];

    const created = [
      await limiter.entities.create(org),
      await limiter.entities.create(project, { parent: org }),
      await limiter.entities.create(key, { parent: project, cascade: true }),
    ];

    expect(created).toEqual([
      { id: org, cascade: false, ancestors: [], createdAt: new Date(NOW_MS) },
      { id: project, parent: org, cascade: false, ancestors: [org], createdAt: new Date(NOW_MS) },
      { id: key, parent: project, cascade: true, ancestors: [project, org], createdAt: new Date(NOW_MS) },
    ]);
    for (const entity of created) expect(await limiter.entities.get(entity.id)).toEqual(entity);
  });

  it('are not there before they are created, nor after they are deleted', async () => {
    const key = own('key');
    expect(await limiter.entities.get(key)).toBeUndefined();
    await limiter.entities.create(key);

    await limiter.entities.delete(key);

    expect(await limiter.entities.get(key)).toBeUndefined();
  });

  it('list their children in order, a page at a time', async () => {
    const org = own('org');
    await limiter.entities.create(org);
    const ids = ['e', 'a', 'c', 'b', 'd'].map(own);
    for (const id of ids) await limiter.entities.create(id, { parent: org });

    const first = await limiter.entities.children(org, { pageSize: 2 });
    const second = await limiter.entities.children(org, { pageSize: 2, after: first.next ?? '' });
    const third = await limiter.entities.children(org, { pageSize: 2, after: second.next ?? '' });

    expect([...first.ids, ...second.ids, ...third.ids]).toEqual([...ids].sort());
    expect([first.ids.length, second.ids.length]).toEqual([2, 2]);
    expect(third).toEqual({ ids: [own('e')] });
    expect(await limiter.entities.children(own('a'))).toEqual({ ids: [] });
  });

  it('can be deleted once their children are, and created again elsewhere', async () => {
    const [org, other, key] = [own('org'), own('other'), own('key')];
    await limiter.entities.create(org);
    await limiter.entities.create(other);
    await limiter.entities.create(key, { parent: org, cascade: true });
    await expect(limiter.entities.delete(org)).rejects.toMatchObject({ code: 'ENTITY_HAS_CHILDREN' });

    await limiter.entities.delete(key);
    await limiter.entities.delete(org);
    const again = await limiter.entities.create(key, { parent: other, cascade: true });

    expect(again.ancestors).toEqual([other]);
    expect(await limiter.entities.children(org)).toEqual({ ids: [] });
    expect(await limiter.entities.children(other)).toEqual({ ids: [key] });
  });

  it('are created by exactly one of many who try at once', async () => {
    const [org, key] = [own('org'), own('key')];
    await limiter.entities.create(org);
    const callers = [limiter, await open(), await open(), await open()];

    const results = await Promise.allSettled(
      callers.flatMap(({ entities }) => [entities.create(key, { parent: org }), entities.create(key)]),
    );

    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(refusals).toEqual(Array.from({ length: 7 }, () => 'ENTITY_EXISTS'));
    const { parent } = (await limiter.entities.get(key)) ?? {};
    expect(await limiter.entities.children(org)).toEqual({ ids: parent === org ? [key] : [] });
  });
});

describe('what an entity is charged for', () => {
  it('is its own bucket where it was never created', async () => {
    const key = own('nobody');

    const lease = await limiter.acquire(key, 'api', { rpm: 4 }, { limits });

    expect(lease).toMatchObject({ entity: key, resource: 'api', consumed: { rpm: 4 }, remaining: { rpm: 6 }, degraded: false });
    expect(await limiter.entities.get(key)).toBeUndefined();
  });

  it('is its own alone where it does not cascade', async () => {
    const [org, key] = [own('org'), own('key')];
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org });

    await limiter.acquire(key, 'api', { rpm: 4 }, { limits });

    expect(await allLeft([key, org])).toEqual([6, 10]);
  });

  it('is every level of a cascade of depth eight: nine buckets', async () => {
    const names = Array.from({ length: 9 }, (_, depth) => own(`depth-${depth}`));
    await limiter.entities.create(names[0] ?? '');
    for (let depth = 1; depth < names.length; depth += 1) {
      await limiter.entities.create(names[depth] ?? '', { parent: names[depth - 1] ?? '', cascade: true });
    }
    const deepest = names.at(-1) ?? '';

    const lease = await limiter.acquire(deepest, 'api', { rpm: 3 }, { limits });

    expect(limiter.stats().requests['UpdateItem']).toBe(9);
    expect(await allLeft(names)).toEqual(names.map(() => 7));
    await lease.release();
    expect(await allLeft(names)).toEqual(names.map(() => 10));
  });

  it('ends above the first that does not cascade', async () => {
    const [top, middle, low, key] = [own('top'), own('middle'), own('low'), own('key')];
    await limiter.entities.create(top);
    await limiter.entities.create(middle, { parent: top });
    await limiter.entities.create(low, { parent: middle, cascade: true });
    await limiter.entities.create(key, { parent: low, cascade: true });

    await limiter.acquire(key, 'api', { rpm: 3 }, { limits });

    expect(await allLeft([key, low, middle, top])).toEqual([7, 7, 7, 10]);
  });

  it('leaves out ancestors that nothing limits, and limits that an ancestor does not have', async () => {
    const [org, project, key] = [own('org'), own('project'), own('key')];
    await limiter.entities.create(org);
    await limiter.entities.create(project, { parent: org, cascade: true });
    await limiter.entities.create(key, { parent: project, cascade: true });
    const some = (entity: string) => (entity === project ? undefined : entity === org ? limits.slice(1) : limits);

    const lease = await limiter.acquire(key, 'api', { rpm: 3, tpm: 100 }, { limits: some });
    await lease.adjust({ rpm: 1, tpm: 100 });

    expect(await allLeft([key, project, org])).toEqual([6, 10, 10]);
    expect([await left(key, 'tpm'), await left(org, 'tpm')]).toEqual([800, 800]);
  });

  it('is nothing at any level where one refuses, and the refusal tells of all', async () => {
    const [org, key] = [own('org'), own('key')];
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org, cascade: true });
    await limiter.acquire(org, 'api', { rpm: 8 }, { limits });

    const error = await limiter.acquire(key, 'api', { rpm: 3, tpm: 5 }, { limits }).catch((reason: unknown) => reason);

    expect(error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterMs: 6_000,
      violations: [{ entity: org, limit: 'rpm', available: 2, requested: 3, capacity: CAPACITY }],
    });
    const { statuses } = error as {
      readonly statuses: readonly { readonly entity: string; readonly limit: string; readonly available: number }[];
    };
    expect(statuses.map(({ entity, limit, available }) => [entity, limit, available])).toEqual([
      [key, 'rpm', 10],
      [key, 'tpm', 1_000],
      [org, 'rpm', 2],
      [org, 'tpm', 1_000],
    ]);
    expect(await allLeft([key, org])).toEqual([10, 2]);
  });

  it('is what available and timeUntilAvailable go by: the least of all levels', async () => {
    const [org, key] = [own('org'), own('key')];
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org, cascade: true });
    await limiter.acquire(org, 'api', { rpm: 8, tpm: 400 }, { limits });
    await limiter.acquire(key, 'api', { tpm: 100 }, { limits });

    expect(await limiter.available(key, 'api', { limits })).toEqual({ rpm: 2, tpm: 500 });
    expect(await limiter.timeUntilAvailable(key, 'api', { rpm: 2 }, { limits })).toBe(0);
    expect(await limiter.timeUntilAvailable(key, 'api', { rpm: 3 }, { limits })).toBe(6_000);
  });
});

describe('a limiter that knows an older lineage', () => {
  it('obeys a parent that another created, once one who knows has written to the bucket', async () => {
    const [org, key] = [own('org'), own('key')];
    const stale = await open();
    await stale.acquire(key, 'api', { rpm: 1 }, { limits });
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org, cascade: true });
    await limiter.acquire(key, 'api', { rpm: 1 }, { limits });

    await stale.acquire(key, 'api', { rpm: 1 }, { limits });

    expect(stale.stats().staleConfigurations).toBe(1);
    expect(await allLeft([key, org])).toEqual([7, 8]);
  });

  it('stops charging a parent that the entity no longer has', async () => {
    const [org, other, key] = [own('org'), own('other'), own('key')];
    await limiter.entities.create(org);
    await limiter.entities.create(other);
    await limiter.entities.create(key, { parent: org, cascade: true });
    const stale = await open();
    await stale.acquire(key, 'api', { rpm: 1 }, { limits });
    await limiter.entities.delete(key);
    await limiter.entities.create(key, { parent: other, cascade: true });
    await limiter.acquire(key, 'api', { rpm: 1 }, { limits });

    await stale.acquire(key, 'api', { rpm: 1 }, { limits });

    // Deleting the entity took its bucket with it.
    expect(await allLeft([key, org, other])).toEqual([8, 9, 8]);
  });

  it('also learns so of a deletion', async () => {
    const [org, key] = [own('org'), own('key')];
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org, cascade: true });
    const stale = await open();
    await stale.acquire(key, 'api', { rpm: 1 }, { limits });
    await limiter.entities.delete(key);
    await limiter.acquire(key, 'api', { rpm: 1 }, { limits });

    await stale.acquire(key, 'api', { rpm: 1 }, { limits });

    expect(await allLeft([key, org])).toEqual([8, 9]);
  });

  it('reads each time when it is told to cache nothing', async () => {
    const [org, key] = [own('org'), own('key')];
    const fresh = await open({ configTtlMs: 0 });
    await fresh.acquire(key, 'api', { rpm: 1 }, { limits });
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org, cascade: true });

    await fresh.acquire(key, 'api', { rpm: 1 }, { limits });

    expect(await allLeft([key, org])).toEqual([8, 9]);
  });

  it('knows at once what it has created or deleted itself', async () => {
    const [org, key] = [own('org'), own('key')];
    await limiter.acquire(key, 'api', { rpm: 1 }, { limits });
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org, cascade: true });
    await limiter.acquire(key, 'api', { rpm: 1 }, { limits });
    await limiter.entities.delete(key);

    await limiter.acquire(key, 'api', { rpm: 1 }, { limits });

    expect(await allLeft([key, org])).toEqual([9, 9]);
  });
});
