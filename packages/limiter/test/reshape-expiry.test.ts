import { type BucketRef, FIRST_LAYOUT, layoutOf, shardCount } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { ALL, LIMITS, Mortal, merge, prepare, spreadThrough } from './reshape-checks.js';

describe('a bucket that nobody has touched for long', () => {
  it('is merged although its other items have expired', async () => {
    const { world, lackingUs } = await prepare(2);
    world.runtime.advance(10 * 86_400_000);
    world.store.expire({ ...world.ref, shard: 1 });

    expect(await world.spreader().merge(world.ref, LIMITS)).toBe(true);

    expect([world.count, lackingUs.length]).toEqual([1, 2]);
    expect((await world.engine().available('key', 'model', ALL))['rpm']).toBe(400);
  });

  it('is merged with what is owed to an item that has expired while a merge was under way, wherever that stood', async () => {
    let died = true;
    for (let at = 1; died; at += 1) {
      const { world } = await prepare(4);
      // The item that goes owes for months; the one that is to take over is full, and gone a week later.
      const [stays, goes] = [1, 3].map((shard) => ({ ...world.ref, shard })) as [BucketRef, BucketRef];
      const layout = layoutOf(world.store.bucket(goes));
      const owed = { form: 'busy', limit: 'rpm', tokens: 0, chargeUs: 10 ** 13, fromUs: 0 } as const;
      world.store.apply({ ref: goes, nowUs: world.nowUs, ttlSec: 0, layout, moves: [owed] });
      const mortal = new Mortal(world.store, at, 'after');
      await merge(world.spreader(mortal), world).catch(() => undefined);
      died = mortal.hasDied;
      world.runtime.advance(8 * 86_400_000);
      if ((world.store.bucket(stays)?.limits.get('rpm')?.tatUs ?? 0) < world.nowUs) world.store.expire(stays);
      const owedUs = world.lackingUs('rpm');

      // Whoever comes by brings up what it meets, in whatever order.
      const engine = world.engine();
      for (let call = 0; call < 8; call += 1) {
        await engine.tryAcquire('key', 'model', { rpm: 1 }, ALL);
        world.runtime.advance(101);
      }
      await spreadThrough(world, [2]);

      expect(owedUs).toBeGreaterThan(10 ** 12);
      expect(world.lackingUs('rpm')).toBeGreaterThanOrEqual(owedUs - 8 * 101_000);
    }
  });

  it('is not taken from in a layout that only a process remembers', async () => {
    const { world, knowing } = await prepare(2);
    await world.spreader().spreadTo(1, world.ref, LIMITS);
    world.runtime.advance(10 * 86_400_000);
    world.store.expire({ ...world.ref, shard: 1 });

    for (let call = 0; call < 12; call += 1) {
      await knowing.acquire('key', 'model', { rpm: 20 }, ALL);
      world.runtime.advance(150);
    }

    expect(world.store.bucket({ ...world.ref, shard: 1 })?.limits.size ?? 0).toBe(0);
    expect(await knowing.tryAcquire('key', 'model', { rpm: 220 }, ALL)).toMatchObject({ allowed: false });
  });

  it('begins anew when all of it has expired, also for a process that remembers more', async () => {
    const { world, knowing } = await prepare(4);
    world.runtime.advance(100 * 86_400_000);
    for (let shard = 0; shard < 4; shard += 1) world.store.expire({ ...world.ref, shard });

    for (let call = 0; call < 6; call += 1) await knowing.acquire('key', 'model', { rpm: 50 }, ALL);

    expect(
      world
        .items()
        .map((state) => state?.layout ?? FIRST_LAYOUT)
        .slice(0, 4),
    ).toEqual([1, 1, 1, 1]);
    expect(world.items().filter((state) => state !== undefined)).toHaveLength(1);
    expect(world.net('rpm')).toBe(300);
  });

  it('has its missing items again as soon as one is needed, full, as they were when they expired', async () => {
    const { world } = await prepare(4);
    world.runtime.advance(10 * 86_400_000);
    for (const shard of [1, 2, 3]) world.store.expire({ ...world.ref, shard });

    await world.engine().acquire('key', 'model', { rpm: 400 }, ALL);

    expect(
      world
        .items()
        .slice(0, 5)
        .map((state) => (state === undefined ? undefined : shardCount(layoutOf(state)))),
    ).toEqual([4, 4, 4, 4, undefined]);
    expect(world.lackingUs('rpm')).toBe(400 * 100_000);
  });
});
