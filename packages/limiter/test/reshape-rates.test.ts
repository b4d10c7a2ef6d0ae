import { Limit, layoutOf, MAX_SHARDS, shardCount } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { Mortal } from './reshape-checks.js';
import { SpreadWorld } from './spread-world.js';

const rpm = (refill: number) => Limit.perMinute('rpm', refill, { capacity: 1_000, reserve: 0 });
const [FAST, SLOW] = [rpm(6_000), rpm(60)];

/** How many tokens all items lack together, whatever scale each of them is in. */
function lackingTokens(world: SpreadWorld): number {
  const items = world.items();
  let tokens = 0;
  for (const [shard, state] of items.entries()) {
    const count = shardCount(layoutOf(state));
    const held = state?.limits.get('rpm');
    if (held === undefined || shard >= count || shard >= MAX_SHARDS) continue;
    const [periodUs = 0, refill = 1] = (held.scale ?? '').split('/').map(Number);
    tokens += Math.max(0, held.tatUs - world.nowUs) / ((periodUs / refill) * count);
  }
  return tokens;
}

describe.each([
  { title: 'lowered', before: FAST, after: SLOW },
  { title: 'raised', before: SLOW, after: FAST },
])('a rate that is $title', ({ before, after }) => {
  const [old, young] = [{ limits: [before] }, { limits: [after] }];

  it.each([1, 2, 4])('in the middle of a split of %i items leaves the tokens that are missing what they are', async (count) => {
    for (let at = 1; at <= 9 * count; at += 1) {
      const world = new SpreadWorld();
      const lease = await world.engine().acquire('key', 'model', { rpm: 400 }, old);
      await world.spreader().spreadTo(count, world.ref, [before]);
      await world
        .spreader(new Mortal(world.store, at, 'after'))
        .split(world.ref, [before])
        .catch(() => undefined);

      // From all items, so that each comes into the new scale, those that are still to split off as well.
      const engine = world.engine();
      await engine.acquire('key', 'model', { rpm: 599 }, young);
      expect((await engine.tryAcquire('key', 'model', { rpm: 2 }, young)).allowed).toBe(false);
      await world.spreader().spreadTo(2 * count, world.ref, [after]);

      expect(lackingTokens(world)).toBeGreaterThanOrEqual(999);
      expect(lackingTokens(world)).toBeLessThan(999.01);
      await lease.release();
      expect(lackingTokens(world)).toBeGreaterThanOrEqual(599);
      expect(lackingTokens(world)).toBeLessThan(599.01);
    }
  });

  it.each([2, 4])('in the middle of a merge of %i items leaves them what they are', async (count) => {
    for (let at = 1; at <= 9 * count; at += 1) {
      const world = new SpreadWorld();
      await world.engine().acquire('key', 'model', { rpm: 1 }, old);
      await world.spreader().spreadTo(count, world.ref, [before]);
      await world.engine().acquire('key', 'model', { rpm: 600 }, old);
      await world
        .spreader(new Mortal(world.store, at, 'after'))
        .merge(world.ref, [before])
        .catch(() => undefined);

      const engine = world.engine();
      await engine.acquire('key', 'model', { rpm: 10 }, young);
      await world
        .spreader()
        .spreadTo(count / 2, world.ref, [after])
        .catch(() => world.spreader().spreadTo(count / 2, world.ref, [after]));

      expect(lackingTokens(world)).toBeGreaterThanOrEqual(611 - 1e-9);
      expect(lackingTokens(world)).toBeLessThan(611.01);
    }
  });
});
