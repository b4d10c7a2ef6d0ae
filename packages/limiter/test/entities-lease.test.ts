import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { bucketKey, parseBucketKey } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EngineTable, launchTable } from './engine-table.js';

const CAPACITY = 10;
const limits = [Limit.perMinute('rpm', CAPACITY), Limit.perMinute('tpm', 1_000, { reserve: 0 })];

let table: EngineTable;
let limiter: RateLimiter;
let families = 0;
let org: string;
let key: string;
beforeAll(async () => {
  table = await launchTable();
  const clock = { nowMs: () => 1_800_000_000_000 };
  limiter = await RateLimiter.open({ ...table.connection, table: table.table, clock, requestTimeoutMs: 30_000 });
});
beforeEach(async () => {
  families += 1;
  [org, key] = [`org-${families}`, `key-${families}`];
  await limiter.entities.create(org);
  await limiter.entities.create(key, { parent: org, cascade: true });
});
afterAll(async () => {
  await limiter.close();
  await table.close();
});

/** What is left of a limit in the bucket of the key, and in that of the organisation above it. */
function left(limit = 'rpm') {
  const own = async (entity: string) => {
    const only = (name: string) => (name === entity ? limits : undefined);
    return (await limiter.available(entity, 'api', { limits: only }))[limit];
  };
  return Promise.all([own(key), own(org)]);
}

describe('a lease on a cascade', () => {
  it('tells what it took, and the least that is left at any level', async () => {
    await limiter.acquire(org, 'api', { rpm: 5 }, { limits });

    const lease = await limiter.acquire(key, 'api', { rpm: 2, tpm: 100 }, { limits });

    expect(lease).toMatchObject({ consumed: { rpm: 2, tpm: 100 }, remaining: { rpm: 3, tpm: 900 }, degraded: false, settled: false });
  });

  it('takes more and gives back at every level, into debt if need be', async () => {
    const lease = await limiter.acquire(key, 'api', { rpm: 2, tpm: 600 }, { limits });

    await lease.adjust({ rpm: -1, tpm: 700 });

    expect(lease).toMatchObject({ consumed: { rpm: 1, tpm: 1_300 }, remaining: { rpm: 9, tpm: -300 } });
    expect([await left('rpm'), await left('tpm')]).toEqual([
      [9, 9],
      [-300, -300],
    ]);
    const verdict = await limiter.tryAcquire(key, 'api', { tpm: 1 }, { limits });
    expect(verdict).toMatchObject({ allowed: false, retryAfterMs: 301 * 60 });
  });

  it('can be adjusted on a limit that the acquire did not ask of', async () => {
    const lease = await limiter.acquire(key, 'api', { rpm: 2 }, { limits });
    await lease.adjust({ tpm: 150 });
    await lease.adjust({ tpm: -50 });

    expect(lease.consumed).toEqual({ rpm: 2, tpm: 100 });
    expect(await left('tpm')).toEqual([900, 900]);
    await lease.release();
    expect([await left('rpm'), await left('tpm')]).toEqual([
      [10, 10],
      [1_000, 1_000],
    ]);
  });

  it('gives back what it has after adjustments, once, when it is released', async () => {
    await limiter.acquire(key, 'api', { rpm: 3 }, { limits });
    const lease = await limiter.acquire(key, 'api', { rpm: 2 }, { limits });
    await lease.adjust({ rpm: 3 });
    await lease.adjust({ rpm: -1 });
    expect(await left()).toEqual([3, 3]);

    await lease.release();

    expect(lease).toMatchObject({ consumed: { rpm: 0 }, settled: true });
    expect(await left()).toEqual([7, 7]);
  });

  it('does its adjustments one after the other, whoever waits for them', async () => {
    await limiter.acquire(key, 'api', { rpm: 1 }, { limits });
    const lease = await limiter.acquire(key, 'api', { rpm: 1 }, { limits });

    await Promise.all([lease.adjust({ rpm: 4 }), lease.adjust({ rpm: -5 }), lease.adjust({ rpm: 2 }), lease.release()]);

    expect(await left()).toEqual([9, 9]);
  });

  it('sends nothing when it is committed, and nothing for an adjustment by 0', async () => {
    const lease = await limiter.acquire(key, 'api', { rpm: 2 }, { limits });
    const { requests } = limiter.stats();

    await lease.adjust({ rpm: 0 });
    await lease.adjust({});
    await lease.commit();

    expect(limiter.stats().requests).toEqual(requests);
    expect(await left()).toEqual([8, 8]);
  });

  it('is released at the end of its block, unless it was settled before', async () => {
    const lease = await limiter.acquire(key, 'api', { rpm: 2 }, { limits });
    await lease[Symbol.asyncDispose]();
    await lease[Symbol.asyncDispose]();
    expect(lease.settled).toBe(true);
    expect(await left()).toEqual([10, 10]);

    const kept = await limiter.acquire(key, 'api', { rpm: 2 }, { limits });
    await kept.commit();
    await kept[Symbol.asyncDispose]();

    expect(await left()).toEqual([8, 8]);
  });
});

describe('withLease on a cascade', () => {
  it('keeps what was taken when the work returns, and gives its result', async () => {
    const result = await limiter.withLease(key, 'api', { rpm: 2 }, (lease) => lease.adjust({ rpm: 1 }).then(() => 'done'), { limits });

    expect(result).toBe('done');
    expect(await left()).toEqual([7, 7]);
  });

  it('gives everything back when the work throws, adjustments included, and passes on what it threw', async () => {
    const failure = new Error('the model is down');

    const result = limiter.withLease(
      key,
      'api',
      { rpm: 2 },
      async (lease) => {
        await lease.adjust({ rpm: 3, tpm: 10 });
        throw failure;
      },
      { limits },
    );

    await expect(result).rejects.toBe(failure);
    expect([await left(), await left('tpm')]).toEqual([
      [10, 10],
      [1_000, 1_000],
    ]);
  });

  it('leaves a lease alone that the work has settled', async () => {
    await limiter.withLease(key, 'api', { rpm: 2 }, (lease) => lease.release(), { limits });
    expect(await left()).toEqual([10, 10]);

    const thrown = limiter.withLease(key, 'api', { rpm: 2 }, (lease) => lease.commit().then(() => Promise.reject(new Error('late'))), {
      limits,
    });

    await expect(thrown).rejects.toThrow('late');
    expect(await left()).toEqual([8, 8]);
  });

  it('does not begin the work when a level refuses', async () => {
    await limiter.acquire(org, 'api', { rpm: 9 }, { limits });
    let begun = false;

    const refused = limiter.withLease(key, 'api', { rpm: 2 }, () => (begun = true), { limits });

    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(begun).toBe(false);
    expect(await left()).toEqual([10, 1]);
  });
});

describe('a level whose bucket this release cannot read', () => {
  it('makes the acquire fail, is left as it is, and the other levels get back what they gave', async () => {
    await limiter.acquire(key, 'api', { rpm: 1 }, { limits });
    const ofKey = (await table.contents()).split('\n').find((item) => item.includes(`/b/${key}/`)) ?? '';
    const [[, pk], [, sk]] = JSON.parse(ofKey);
    const namespaceId = parseBucketKey(pk.S, sk.S)?.namespaceId ?? '';
    const { partition, sort } = bucketKey({ namespaceId, entity: org, resource: 'api', shard: 0 });
    const future = { PK: { S: partition }, SK: { S: sort }, v: { N: '9' } };
    await table.client.send(new PutItemCommand({ TableName: table.table, Item: future }));

    const unreadable = JSON.stringify(Object.entries(future));

    for (const _ of [1, 2, 3]) {
      await expect(limiter.acquire(key, 'api', { rpm: 3 }, { limits })).rejects.toMatchObject({ code: 'SCHEMA_VERSION' });
    }

    const only = (name: string) => (name === key ? limits : undefined);
    expect(await limiter.available(key, 'api', { limits: only })).toMatchObject({ rpm: 9 });
    expect((await table.contents()).split('\n')).toContain(unreadable);
  });
});
