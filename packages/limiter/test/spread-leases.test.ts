import { type BucketWrite, Limit, newEntity } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { ALL, drain, HOURLY, lackingTokens, missingOf, spread, takeAll } from './spread-hourly.js';

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

    expect(missingOf(world)).toEqual([500, 400]);
  });

  it('charges what it uses beyond its amount to its own item, which then owes it', async () => {
    const { world, engine } = await spread(2);
    drain(world, 0, 500);
    const lease = await engine.acquire('key', 'model', { rph: 400 }, ALL);

    await lease.adjust({ rph: 300 });

    expect(missingOf(world)).toEqual([500, 700]);
    await lease.release();
    expect(missingOf(world)).toEqual([500, 0]);
  });

  it('charges what is more than one item holds to all of them, so that the debt is paid as fast as it would be by one', async () => {
    const { world, engine } = await spread(4);
    const lease = await engine.acquire('key', 'model', { rph: 10 }, ALL);

    await lease.adjust({ rph: 2_002 });

    expect([...missingOf(world)].sort((a, b) => b - a)).toEqual([511, 501, 500, 500]);
    expect(world.net('rph')).toBe(1 + 2_012);
    expect(await engine.timeUntilAvailable('key', 'model', { rph: 1_000 }, ALL)).toBeLessThanOrEqual(2_044 * 3_600);
    expect((await world.engine().tryAcquire('key', 'model', { rph: 1 }, ALL)).allowed).toBe(false);
    await lease.adjust({ rph: -700 });
    await lease.release();
    expect(missingOf(world)).toEqual([0, 0, 0, 0]);
    expect(world.net('rph')).toBe(1);
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
