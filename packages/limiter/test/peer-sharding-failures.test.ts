import { type BucketRef, type BucketWrite, Limit, newEntity, shardCount, shardTiming, timingOf } from '@millrace/core';
import type { Engine } from '@millrace/limiter/engine';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../src/engine/reshaper.js';
import { SpreadWorld } from './spread-world.js';

const TOKEN_US = 3_600_000;
/** What peers fail with, as far as it was read: 1,000 an hour. */
const HOURLY = Limit.perHour('rph', 1_000, { reserve: 0 });
const ALL = { limits: [HOURLY] };

/** A bucket over so many items, and a process that has not met it. */
async function spread(count: number, limits: readonly Limit[] = [HOURLY], entity = 'key') {
  const world = new SpreadWorld(undefined, 1, entity);
  await world.engine().acquire(entity, 'model', Object.fromEntries(limits.map(({ name }) => [name, 1])), { limits });
  await world.spreader().spreadTo(count, world.ref, limits);
  // Long enough for the one token to be back.
  world.runtime.advance(TOKEN_US / 1_000);
  return { world, engine: world.engine() };
}

/** Takes from one item, so that so many tokens of its share are gone, beside all callers. */
function drain(world: SpreadWorld, shard: number, tokens: number, limit = HOURLY): void {
  const ref: BucketRef = { ...world.ref, shard };
  const layout = layoutOf(world.store.bucket(ref));
  const { periodUs, refill } = shardTiming(timingOf(limit), shardCount(layout));
  const chargeUs = Math.ceil((tokens * periodUs) / refill);
  world.store.apply({
    ref,
    nowUs: world.nowUs,
    ttlSec: 2 ** 31,
    layout,
    moves: [{ form: 'idle', limit: limit.name, tokens: 0, chargeUs, toUs: world.nowUs, scale: timingOf(limit).scale }],
  });
}

/** Takes one token after the other until one is refused. */
async function takeAll(engine: Engine, tokens = 1, options = ALL): Promise<number> {
  let taken = 0;
  // What is given back to no one cannot be found by chance alone: a few refusals in a row, and the bucket is empty.
  for (let refused = 0; refused < 40; ) {
    const verdict = await engine.tryAcquire('key', 'model', { [options.limits[0]?.name ?? '']: tokens }, options);
    if (verdict.allowed) [taken, refused] = [taken + tokens, 0];
    else refused += 1;
  }
  return taken;
}

const lackingTokens = (world: SpreadWorld) => world.lackingUs('rph') / TOKEN_US;

describe('W-02: a bucket that is spread', () => {
  it('after all its tokens are spent has none more when it is split, again and again', async () => {
    const world = new SpreadWorld();
    expect(await takeAll(world.engine())).toBe(1_000);

    for (const count of [2, 4, 8, 16, 32]) {
      await world.spreader().spreadTo(count, world.ref, [HOURLY]);
      expect(await takeAll(world.engine()), `over ${count} items`).toBe(0);
    }
    for (const count of [16, 4, 1]) {
      await world.spreader().spreadTo(count, world.ref, [HOURLY]);
      expect(await takeAll(world.engine()), `merged to ${count}`).toBe(0);
    }
  });

  it.each([2, 4, 8, 32])('over %i items gives what it has, and in an hour what its rate gives, and no more', async (count) => {
    const { world, engine } = await spread(count);
    const first = await takeAll(engine);
    world.runtime.advance(1_800_000);
    const second = await takeAll(engine);

    // Each item may keep a part of a token that nobody can take alone.
    expect([first > 1_000, first + second > 1_500]).toEqual([false, false]);
    expect([1_000 - first <= count, 1_500 - first - second <= count]).toEqual([true, true]);
  });

  it('gives one that is split in the middle of being used no more than its capacity', async () => {
    const world = new SpreadWorld();
    const engine = world.engine();
    for (let call = 0; call < 500; call += 1) await engine.acquire('key', 'model', { rph: 1 }, ALL);
    await world.spreader().spreadTo(4, world.ref, [HOURLY]);

    expect(await takeAll(world.engine())).toBe(500);
  });
});

describe('W-03: a lease', () => {
  it('gives back to the item that it was taken from: that one has its tokens again, and no other has more', async () => {
    const { world, engine } = await spread(2);
    drain(world, 0, 500);
    drain(world, 1, 400);
    const lease = await engine.acquire('key', 'model', { rph: 100 }, ALL);
    expect(lackingTokens(world)).toBe(1_000);

    await lease.adjust({ rph: -30 });
    expect(lackingTokens(world)).toBe(970);
    await lease.release();

    const missing = [0, 1].map((shard) => (Number(world.items()[shard]?.limits.get('rph')?.tatUs) - world.nowUs) / (2 * TOKEN_US));
    expect(missing).toEqual([500, 400]);
  });

  it('charges what it uses beyond its amount to its own item, which then owes it', async () => {
    const { world, engine } = await spread(2);
    drain(world, 0, 500);
    const lease = await engine.acquire('key', 'model', { rph: 1 }, ALL);

    await lease.adjust({ rph: 700 });

    expect((Number(world.items()[1]?.limits.get('rph')?.tatUs) - world.nowUs) / (2 * TOKEN_US)).toBe(701);
    expect(lackingTokens(world)).toBe(1_201);
  });

  it.each([
    { title: 'of a request that is larger than an item', tokens: 800, before: 4, after: 4 },
    { title: 'of a large request, after a split', tokens: 800, before: 2, after: 8 },
    { title: 'of a large request, after a merge', tokens: 800, before: 4, after: 1 },
    { title: 'of a small request, after a merge', tokens: 100, before: 4, after: 1 },
    { title: 'of a small request, after a merge and a split', tokens: 100, before: 4, after: 1, again: 8 },
    { title: 'of a small request, after a split', tokens: 60, before: 1, after: 4 },
  ])('adjusts and releases what it holds, in tokens of the layout that there is: $title', async ({ tokens, before, after, again }) => {
    const { world, engine } = await spread(before);
    const lease = await engine.acquire('key', 'model', { rph: tokens }, ALL);
    // The rest, so that no credit meets a full item.
    await takeAll(world.engine(), 7);
    const net = world.net('rph');
    const lacking = lackingTokens(world);
    const spreader = world.spreader();
    for (const count of [after, again ?? after]) await spreader.spreadTo(count, world.ref, [HOURLY]);
    expect(Math.abs(lackingTokens(world) - lacking)).toBeLessThan(0.001);

    await lease.adjust({ rph: 13 });
    expect([world.net('rph'), Math.round((lackingTokens(world) - lacking) * 1_000)]).toEqual([net + 13, 13_000]);
    await lease.adjust({ rph: -8 });
    await lease.release();

    expect(world.net('rph')).toBe(net - tokens);
    // Rounded down at each step, by no more than a microsecond or two.
    expect(lackingTokens(world)).toBeGreaterThanOrEqual(lacking - tokens - 1e-9);
    expect(lackingTokens(world)).toBeLessThan(lacking - tokens + 0.01);
  });

  it('of the largest amount that can be adjusted is owed by one item of 32, and paid back', async () => {
    const limit = Limit.of({ name: 'rph', refill: 1_000, periodMs: 3_600_000, capacity: 1_000, reserve: 0 });
    const { world, engine } = await spread(32, [limit]);
    const lease = await engine.acquire('key', 'model', { rph: 1 }, { limits: [limit] });
    const most = Math.floor((20 * 366 * 86_400_000) / 3_600_000) * 1_000;

    await lease.adjust({ rph: most });
    await lease.release();

    expect(world.net('rph')).toBe(1);
    for (const state of world.items()) for (const { tatUs } of state?.limits.values() ?? []) expect(Number.isSafeInteger(tatUs)).toBe(true);
    // A debt of more than 142 years is not written; what is given back beyond that is not, either.
    expect(lackingTokens(world)).toBeLessThanOrEqual(1);
  });
});

describe('W-04: a lease that another item than the first one tried has given', () => {
  it('can be adjusted, and gives all back when the work under it throws', async () => {
    const { world, engine } = await spread(2);
    drain(world, 0, 500);
    for (let call = 0; call < 10; call += 1) {
      const work = engine.withLease(
        'key',
        'model',
        { rph: 5 },
        async (lease) => {
          await lease.adjust({ rph: 3 });
          throw new Error('the model is down');
        },
        ALL,
      );
      await expect(work).rejects.toThrow('the model is down');
      // On to another item; what flows back in that time does not come into it.
      world.runtime.advance(101);
    }

    expect(world.net('rph')).toBe(1);
    expect(world.items()[1]?.limits.get('rph')?.tatUs).toBeLessThanOrEqual(world.nowUs);
  });

  it('is charged at the parent, too: at one item of it for each child, in one write', async () => {
    const { world, engine } = await cascade(4);
    const limits = (entity: string) => (entity === 'org' ? [HOURLY] : [CHILD]);
    const writes: BucketWrite[] = [];
    world.store.onWrite = (write) => void writes.push(write);
    const leases = [];
    for (let child = 0; child < 40; child += 1) {
      leases.push(await engine.acquire(`child-${child}`, 'model', { rph: 5 }, { limits }));
      world.runtime.advance(101);
    }

    expect(world.net('rph')).toBe(1 + 40 * 5);
    const atParent = writes.filter(({ ref }) => ref.entity === 'org');
    expect(new Set(atParent.map(({ ref }) => ref.shard)).size).toBe(4);
    // Its layout is met once; beyond that each child is one write at the parent.
    expect(atParent.length).toBeLessThanOrEqual(40 + 4 + 1);
    for (const lease of leases) await lease.release();
    expect(world.net('rph')).toBe(1);
  });

  it('gives back to the items of the parent where the child refuses', async () => {
    const { world, engine } = await cascade(4);
    const limits = (entity: string) => (entity === 'org' ? [HOURLY] : [CHILD]);
    await engine.acquire('child-0', 'model', { rph: 10 }, { limits });
    const before = world.lackingUs('rph');

    for (const tokens of [10, 10]) expect((await engine.tryAcquire('child-0', 'model', { rph: tokens }, { limits })).allowed).toBe(false);
    const other = world.engine();
    expect((await other.tryAcquire('child-0', 'model', { rph: 10 }, { limits })).allowed).toBe(false);

    expect(world.net('rph')).toBe(11);
    expect(world.lackingUs('rph')).toBe(before);
  });
});

describe('W-05', () => {
  it('requests of any size up to the capacity pass, whatever an item of it holds', async () => {
    for (const tokens of [1, 31, 32, 250, 999, 1_000]) {
      const { world, engine } = await spread(32);

      expect((await engine.tryAcquire('key', 'model', { rph: tokens }, ALL)).allowed, `${tokens} tokens`).toBe(true);
      expect(lackingTokens(world)).toBe(tokens);
    }
  });

  it('a bucket of few tokens that is spread over more items than it has tokens gives them, one at a time', async () => {
    const small = Limit.perMinute('rph', 5, { reserve: 0 });
    const { world, engine } = await spread(8, [small]);
    world.runtime.advance(60_000);

    expect(await takeAll(engine, 1, { limits: [small] })).toBe(5);
  });

  it('an item that has expired, or was never there, is full, and no reason to refuse', async () => {
    const { world, engine } = await spread(4);
    for (const shard of [1, 2, 3]) world.store.expire({ ...world.ref, shard });

    expect(await takeAll(engine)).toBe(1_000);
  });

  it('a count that was read long ago never overwrites a newer one', async () => {
    const { world, engine } = await spread(4);
    await engine.acquire('key', 'model', { rph: 1 }, ALL);
    const old = layoutOf(world.items()[0]);
    const spreader = world.spreader();
    await spreader.spreadTo(8, world.ref, [HOURLY]);
    const layouts = () => world.items().map((state) => layoutOf(state));
    const before = layouts();

    const late = world.spreader();
    for (let shard = 0; shard < 8; shard += 1) await late.bring(world.ref, [HOURLY], shard, old);
    await engine.acquire('key', 'model', { rph: 1 }, ALL);

    expect(layouts()).toEqual(before);
    expect(engine.stats.snapshot().layoutMisses).toBe(2);
  });

  it.each([
    [490, 100],
    [500, 500],
    [500, 0],
    [0, 0],
    [499, 498],
    [250, 250],
  ])('available and timeUntilAvailable see all items, and say what an acquire would be answered: %i and %i gone', async (...drained) => {
    for (const tokens of [1, 3, 240, 499, 500, 501, 700, 1_000]) {
      const { world, engine } = await spread(2);
      for (const [shard, missing] of drained.entries()) if (missing > 0) drain(world, shard, missing);
      const waitMs = await engine.timeUntilAvailable('key', 'model', { rph: tokens }, ALL);
      const { rph = 0 } = await engine.available('key', 'model', ALL);
      // Processes that know nothing, so that chance alone says which item they try first.
      const isAdmitted = async (amount: number, release = false): Promise<boolean> => {
        const verdict = await world.engine().tryAcquire('key', 'model', { rph: amount }, ALL);
        if (verdict.allowed && release) await verdict.lease.release();
        return verdict.allowed;
      };

      if (rph >= 1) expect(await isAdmitted(rph, true), `${rph} available`).toBe(true);
      if (rph < 1_000) expect(await isAdmitted(rph + 1), `${rph} available`).toBe(false);
      world.runtime.advance(Math.max(0, waitMs - 1));
      expect(await isAdmitted(tokens, true), `${tokens} a millisecond before ${waitMs}`).toBe(waitMs === 0);
      world.runtime.advance(Math.min(1, waitMs));
      expect(await isAdmitted(tokens), `${tokens} in ${waitMs} ms`).toBe(true);
    }
  });
});

const CHILD = Limit.perHour('rph', 10, { reserve: 0 });

/** Children of a parent whose bucket is spread. */
async function cascade(count: number) {
  const { world, engine } = await spread(count, [HOURLY], 'org');
  const nowMs = world.runtime.clock.nowMs();
  const org = newEntity('org', undefined, false, undefined, nowMs);
  const children = Array.from({ length: 40 }, (_, child) => newEntity(`child-${child}`, org, true, undefined, nowMs));
  for (const entity of [org, ...children]) world.store.setConfig('ns', { level: 'lineage', entity: entity.id }, { entity });
  return { world, engine };
}
