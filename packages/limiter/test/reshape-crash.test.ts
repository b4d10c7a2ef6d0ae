import { StoreFailure } from '@millrace/core';
import { Crash } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { ALL, expectLacking, expectWhole, Mortal, merge, netOf, prepare, split, spreadThrough } from './reshape-checks.js';

const STEPS = [
  { title: 'a split of one item', from: 1, act: split },
  { title: 'a split of two', from: 2, act: split },
  { title: 'a split of four', from: 4, act: split },
  { title: 'a merge of eight', from: 8, act: merge },
  { title: 'a merge of four', from: 4, act: merge },
  { title: 'a merge of two', from: 2, act: merge },
] as const;

describe.each(STEPS)('$title by a process that dies', { timeout: 60_000 }, ({ from, act }) => {
  it.each(['before', 'after'] as const)(
    '%s any of its requests leaves what others can finish: nothing is minted, nobody is refused',
    async (when) => {
      let died = true;
      let deaths = 0;
      for (let at = 1; died; at += 1) {
        const { world, knowing, lackingUs, net } = await prepare(from);
        const mortal = new Mortal(world.store, at, when);
        await act(world.spreader(mortal), world).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
        died = mortal.hasDied;
        deaths += died ? 1 : 0;
        expectLacking(world, lackingUs);

        // Time stands still: one that has known the bucket, and one that has not, find tokens and settle what they took.
        for (const engine of [knowing, world.engine()]) {
          const lease = await engine.acquire('key', 'model', { rpm: 2, tpm: 5 }, ALL);
          const large = await engine.acquire('key', 'model', { rpm: 210, tpm: 3 }, ALL);
          await large.release();
          await lease.adjust({ rpm: 1, tpm: -5 });
        }
        expect(netOf(world)).toEqual([(net[0] ?? 0) + 2 * 3, net[1]]);

        // The next decision carries out what is left of the last.
        const count = world.count;
        await spreadThrough(world, [2 * count, count]);
        expectWhole(world);
        // Both gave back in another layout than they took in, at the worst, which rounds down.
        expectLacking(world, [(lackingUs[0] ?? 0) + 2 * 3 * 100_000, lackingUs[1] ?? 0], 60_000);
      }
      expect(deaths).toBeGreaterThan(2 * from);
    },
  );

  it.each(['before', 'after'] as const)('does not depend on any reply: each one lost once, %s it is done', async (when) => {
    let lost = true;
    for (let at = 1; lost; at += 1) {
      const { world, lackingUs } = await prepare(from);
      const startUs = world.nowUs;
      let writes = 0;
      lost = false;
      world.store.mishapOf = () => {
        writes += 1;
        if (writes !== at) return undefined;
        lost = true;
        return { when, failure: new StoreFailure('timeout', 'unknown', 'lost') };
      };

      expect(await act(world.spreader(), world)).toBe(true);

      world.store.mishapOf = () => undefined;
      expect(world.count).toBe(act === split ? 2 * from : from / 2);
      expectWhole(world);
      // Waits before another try take their time, in which tokens come back.
      const passedUs = world.nowUs - startUs;
      expectLacking(
        world,
        lackingUs.map((us) => Math.max(0, us - passedUs)),
      );
    }
  });
});
