import { Limit, layoutOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { ALL, drain, HOURLY, lackingTokens, spread, takeAll } from './spread-hourly.js';
import { SpreadWorld } from './spread-world.js';

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
