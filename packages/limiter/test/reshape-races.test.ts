import { layoutOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { ALL, drawing, expectLacking, expectWhole, Mortal, merge, prepare, split, spreadThrough } from './reshape-checks.js';
import { Turns } from './spread-world.js';

describe('several processes that decide at once', { timeout: 60_000 }, () => {
  it.each([
    { title: 'a split and a merge', acts: [split, merge] },
    { title: 'two splits', acts: [split, split] },
    { title: 'two merges and a split', acts: [merge, merge, split] },
    { title: 'three splits', acts: [split, split, split] },
  ])('carry out one decision after the other, in any order of their requests: $title', async ({ acts }) => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const { world, lackingUs } = await prepare(2);
      const generation = Math.floor(layoutOf(world.items()[0]) / 64);
      const turns = new Turns();
      const ends: boolean[] = [];
      const programs = acts.map((act) => async () => {
        const done = await act(world.spreader(turns.through(world.store)), world).catch(() => false);
        ends.push(done);
      });
      await turns.play(programs, drawing(seed));

      expect(ends.some(Boolean) || world.items()[0]?.nextLayout !== undefined).toBe(true);
      expect(Math.floor(layoutOf(world.items()[0]) / 64)).toBeLessThanOrEqual(generation + acts.length);
      expectLacking(world, lackingUs);
      await spreadThrough(world, [4, 2, 1]);
      expectWhole(world);
      expectLacking(world, lackingUs);
    }
  });

  it('and three that help at once what a dead one has left take from each item, and mint nothing', async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const { world, lackingUs, net } = await prepare(4);
      const act = seed % 2 === 0 ? split : merge;
      await act(world.spreader(new Mortal(world.store, 8 + (seed % 17), 'after')), world).catch(() => undefined);
      const turns = new Turns();
      let taken = 0;
      const programs = [0, 1, 2].map((number) => async () => {
        const engine = world.engine({}, turns.through(world.store));
        for (const tokens of [211, 11, 211, 11]) {
          const lease = await engine.acquire('key', 'model', { rpm: number === 0 ? 5 : tokens }, ALL).catch(() => undefined);
          if (number === 0) await lease?.release();
          taken += lease?.consumed['rpm'] ?? 0;
        }
      });
      await turns.play(programs, drawing(seed));

      expect(world.net('rpm')).toBe((net[0] ?? 0) + taken);
      expect(world.lackingUs('rpm')).toBeGreaterThanOrEqual((lackingUs[0] ?? 0) + taken * 100_000);
    }
  });
});
