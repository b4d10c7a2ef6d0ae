import { Limit, type LimiterStats, type RateLimiter } from '@millrace/limiter';
import { FakeRuntime } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openTable } from './open-table.js';

let table: OpenTable;
beforeAll(async () => {
  table = await openTable();
});
afterAll(() => table.close());

/** What a piece of work cost: requests by operation, and units as the engine reported them. */
async function costOf(limiter: RateLimiter, work: () => Promise<unknown>) {
  const before = limiter.stats();
  await work();
  const after = limiter.stats();
  const grown = (key: 'readUnits' | 'writeUnits' | 'branchMisses'): number => after[key] - before[key];
  const requests = Object.fromEntries(
    Object.entries(after.requests).flatMap(([operation, count]) => {
      const more = count - (before.requests[operation] ?? 0);
      return more === 0 ? [] : [[operation, more]];
    }),
  );
  return { requests, readUnits: grown('readUnits'), writeUnits: grown('writeUnits'), branchMisses: grown('branchMisses') };
}

const ONE_WRITE = { requests: { UpdateItem: 1 }, readUnits: 0, writeUnits: 1, branchMisses: 0 };
const limits = [Limit.perMinute('rpm', 600)];

describe('what an acquire costs on a real engine', () => {
  it('the first ever of a bucket is one request, one write unit and no read', async () => {
    const limiter = await table.open();
    await limiter.explain('first', 'model');

    expect(await costOf(limiter, () => limiter.acquire('first', 'model', { rpm: 1 }, { limits }))).toEqual(ONE_WRITE);
  });

  it('whose configuration is not remembered costs one request more, of at most half a unit for each of five items', async () => {
    const limiter = await table.open();
    const oneBatch = { ...ONE_WRITE, requests: { BatchGetItem: 1, UpdateItem: 1 } };

    const [cold, ofAnotherEntity, ofAnotherResource, warm] = [
      await costOf(limiter, () => limiter.acquire('unmet', 'model', { rpm: 1 }, { limits })),
      await costOf(limiter, () => limiter.acquire('unmet-too', 'model', { rpm: 1 }, { limits })),
      await costOf(limiter, () => limiter.acquire('unmet', 'other', { rpm: 1 }, { limits })),
      await costOf(limiter, () => limiter.acquire('unmet', 'model', { rpm: 1 }, { limits })),
    ];

    expect(cold).toEqual({ ...oneBatch, readUnits: 2.5 });
    expect(ofAnotherEntity).toEqual({ ...oneBatch, readUnits: 1.5 });
    expect(ofAnotherResource).toEqual({ ...oneBatch, readUnits: 1 });
    expect(warm).toEqual(ONE_WRITE);
  });

  it('below three ancestors costs one request more for all of them together', async () => {
    const limiter = await table.open();
    for (const [id, parent] of [
      ['top', undefined],
      ['mid', 'top'],
      ['low', 'mid'],
      ['leaf', 'low'],
    ] as const) {
      await limiter.entities.create(id, parent === undefined ? {} : { parent, cascade: true });
    }
    limiter.invalidate();
    const fresh = await table.open();

    const cost = await costOf(fresh, () => fresh.acquire('leaf', 'model', { rpm: 1 }, { limits }));

    expect(cost).toMatchObject({ requests: { BatchGetItem: 2, UpdateItem: 4 }, readUnits: 7, writeUnits: 4 });
    expect(await costOf(fresh, () => fresh.acquire('leaf', 'model', { rpm: 1 }, { limits }))).toMatchObject({
      requests: { UpdateItem: 4 },
    });
  });

  it.each([1, 10])('a warm one with %i limits is one request, one write unit and no read', async (count) => {
    const limiter = await table.open();
    const many = Array.from({ length: count }, (_, index) => Limit.perMinute(`limit-${index}`, 600));
    const amounts = Object.fromEntries(many.map(({ name }) => [name, 1]));
    await limiter.acquire(`warm-${count}`, 'model', amounts, { limits: many });

    const cost = await costOf(limiter, () => limiter.acquire(`warm-${count}`, 'model', amounts, { limits: many }));

    expect(cost).toEqual(ONE_WRITE);
  });

  it('opening reads one item', async () => {
    const limiter = await table.open();

    expect(limiter.stats()).toMatchObject({ requests: { GetItem: 1 }, readUnits: 1, writeUnits: 0 });
  });

  it('a wrong guess of the form is two requests', async () => {
    const { clock, ...runtime } = new FakeRuntime();
    const [one, other] = [await table.open({ clock }), await table.open({ clock })];
    await other.explain('guess', 'model');
    await one.acquire('guess', 'model', { rpm: 5 }, { limits });

    // The other has never seen this bucket, takes it for idle, and learns from the refusal.
    const cost = await costOf(other, () => other.acquire('guess', 'model', { rpm: 1 }, { limits }));

    expect(cost).toEqual({ requests: { UpdateItem: 2 }, readUnits: 0, writeUnits: 1, branchMisses: 1 });
    expect(runtime).toBeDefined();
  });

  it('a change of the rate costs a busy bucket one refused write and one that rescales, once', async () => {
    const { clock } = new FakeRuntime();
    const [one, other] = [await table.open({ clock }), await table.open({ clock })];
    const slower = [Limit.perMinute('rpm', 60, { capacity: 600 })];
    await other.available('rescaled', 'model', { limits });
    await one.acquire('rescaled', 'model', { rpm: 300 }, { limits });
    const acquire = () => other.acquire('rescaled', 'model', { rpm: 1 }, { limits: slower });

    expect(await costOf(other, acquire)).toEqual({ requests: { UpdateItem: 3 }, readUnits: 0, writeUnits: 2, branchMisses: 1 });
    expect(await costOf(other, acquire)).toEqual(ONE_WRITE);
    expect(await other.available('rescaled', 'model', { limits: slower })).toEqual({ rpm: 286 });
  });

  it('a refusal is one request, and none when it is asked again', async () => {
    const { clock } = new FakeRuntime();
    const [limiter, other] = [await table.open({ clock }), await table.open({ clock })];
    const small = [Limit.perMinute('rpm', 1)];
    await limiter.explain('refused', 'model');
    await other.acquire('refused', 'model', { rpm: 1 }, { limits: small });
    const ask = () => limiter.tryAcquire('refused', 'model', { rpm: 1 }, { limits: small });

    expect(await costOf(limiter, ask)).toEqual({ requests: { UpdateItem: 1 }, readUnits: 0, writeUnits: 0, branchMisses: 0 });
    expect(await costOf(limiter, ask)).toEqual({ requests: {}, readUnits: 0, writeUnits: 0, branchMisses: 0 });
  });

  it('a hot bucket costs one write for all callers of this process that come at once', async () => {
    const limiter = await table.open();
    await limiter.explain('hot', 'model');

    const cost = await costOf(limiter, () =>
      Promise.all(Array.from({ length: 64 }, () => limiter.acquire('hot', 'model', { rpm: 1 }, { limits }))),
    );

    expect(cost).toEqual(ONE_WRITE);
  });
});

describe('what a cascade of three levels costs on a real engine', () => {
  it('acquire, adjust and release are three write units each, in one parallel step', async () => {
    const limiter = await table.open();
    await limiter.entities.create('org');
    await limiter.entities.create('project', { parent: 'org', cascade: true });
    await limiter.entities.create('key', { parent: 'project', cascade: true });
    await limiter.acquire('key', 'model', { rpm: 1 }, { limits });
    const threeWrites = { requests: { UpdateItem: 3 }, readUnits: 0, writeUnits: 3, branchMisses: 0 };

    const verdict = await limiter.tryAcquire('key', 'model', { rpm: 2 }, { limits });
    if (!verdict.allowed) throw new Error('the bucket is nearly full');

    expect(await costOf(limiter, () => limiter.acquire('key', 'model', { rpm: 2 }, { limits }))).toEqual(threeWrites);
    expect(await costOf(limiter, () => verdict.lease.adjust({ rpm: 3 }))).toEqual(threeWrites);
    expect(await costOf(limiter, () => verdict.lease.adjust({ rpm: 0 }))).toEqual({
      requests: {},
      readUnits: 0,
      writeUnits: 0,
      branchMisses: 0,
    });
    expect(await costOf(limiter, () => verdict.lease.release())).toEqual(threeWrites);
  });
});

describe('four unsynchronised processes on one bucket of 600 a minute', () => {
  it.each([0.3, 0.6, 0.9])('at a load of %f write at most 1.25 times an acquire, and refuse none that fits', async (load) => {
    const runtime = new FakeRuntime({ seed: 7 });
    const limiters = await Promise.all(Array.from({ length: 4 }, () => table.open({ clock: runtime.clock, configTtlMs: 3_600_000 })));
    const entity = `load-${load}`;
    for (const limiter of limiters) await limiter.tryAcquire(entity, 'warm-up', { rpm: 1 }, { limits });
    const before = limiters.map((limiter) => limiter.stats());

    const acquires = 1_500;
    for (let index = 0; index < acquires; index += 1) {
      const gapMs = -Math.log(1 - runtime.random()) * (100 / load);
      runtime.advance(gapMs);
      const limiter = limiters[Math.floor(runtime.random() * limiters.length)] as RateLimiter;
      await limiter.acquire(entity, 'model', { rpm: 1 }, { limits });
    }

    const writes = sum(limiters, before, ({ requests }) => requests['UpdateItem'] ?? 0);
    expect(writes / acquires).toBeLessThanOrEqual(1.25);
    expect(sum(limiters, before, ({ rejected }) => rejected)).toBe(0);
  });
});

function sum(limiters: readonly RateLimiter[], before: readonly LimiterStats[], of: (stats: LimiterStats) => number): number {
  return limiters.reduce((total, limiter, index) => total + of(limiter.stats()) - of(before[index] as LimiterStats), 0);
}

describe('a full bucket on a real engine', () => {
  it.each([
    { capacity: 10, reserve: undefined, atLeast: 10 },
    { capacity: 600, reserve: undefined, atLeast: 588 },
    { capacity: 100_000, reserve: undefined, atLeast: 98_000 },
    { capacity: 600, reserve: 0, atLeast: 600 },
    { capacity: 100_000, reserve: 0, atLeast: 100_000 },
  ])('of $capacity with reserve $reserve admits at least $atLeast at once', async ({ capacity, reserve, atLeast }) => {
    const { clock } = new FakeRuntime();
    const limiter = await table.open({ clock });
    const full = [Limit.perMinute('rpm', capacity, reserve === undefined ? {} : { reserve })];
    const cost = Math.max(1, capacity / 1_000);
    const entity = `full-${capacity}-${reserve}`;

    let admitted = 0;
    while ((await limiter.tryAcquire(entity, 'model', { rpm: cost }, { limits: full })).allowed) admitted += cost;

    expect(admitted).toBeGreaterThanOrEqual(atLeast);
    expect(admitted).toBeLessThanOrEqual(capacity);
  });

  it.each([10, 600, 100_000])('of %i admits one request of its whole capacity', async (capacity) => {
    const { clock } = new FakeRuntime();
    const limiter = await table.open({ clock });
    const full = [Limit.perMinute('rpm', capacity)];

    const { remaining } = await limiter.acquire(`whole-${capacity}`, 'model', { rpm: capacity }, { limits: full });

    expect(remaining['rpm']).toBeLessThanOrEqual(0);
    expect((await limiter.tryAcquire(`whole-${capacity}`, 'model', { rpm: 1 }, { limits: full })).allowed).toBe(false);
  });
});
