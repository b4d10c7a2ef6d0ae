import { StoreFailure } from '@millrace/core';
import type { Engine } from '@millrace/limiter/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { RESOURCE, rpm } from './config-world.js';
import { PrefetchWorld } from './prefetch-world.js';
import { settled } from './sleepers.js';

let world: PrefetchWorld;

beforeEach(() => {
  world = new PrefetchWorld();
  world.set({ level: 'system' }, { limits: [rpm(6_000)] });
});

const credits = (entity = 'key') => world.store.writes.filter(({ ref, moves }) => ref.entity === entity && moves[0]?.form === 'credit');
const ask = (by: Engine, tokens = 1, entity = 'key') => by.tryAcquire(entity, RESOURCE, { rpm: tokens });
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('what was taken ahead and not spent', () => {
  it('is given back when its time is over, once', async () => {
    const engine = world.openAhead();
    await world.warm(engine);
    const served = engine.stats.snapshot().admitted;
    expect(world.net('key', 'rpm')).toBeGreaterThan(served);
    const before = credits().length;

    await world.sleepers.pass(5_000);

    expect([world.net('key', 'rpm'), credits().length - before, world.sleepers.count]).toEqual([served, 1, 0]);
    await engine.close();
    expect([world.net('key', 'rpm'), credits().length - before]).toEqual([served, 1]);
  });

  it('is not served any more after its time, though no timer has fired', async () => {
    const engine = world.openAhead();
    await world.warm(engine);
    const before = world.store.writes.length;
    world.runtime.advance(1_000);

    await ask(engine);

    expect(world.store.writes.length).toBeGreaterThan(before);
    await engine.close();
    expect(world.net('key', 'rpm')).toBe(engine.stats.snapshot().admitted);
  });

  it('is given back when the limiter is closed, and no timer stays behind', async () => {
    const engine = world.openAhead();
    await world.warm(engine);

    await engine.close();

    const { admitted, returned } = engine.stats.snapshot();
    expect([world.net('key', 'rpm'), world.sleepers.count]).toEqual([admitted, 0]);
    expect(returned).toBeGreaterThan(0);
  });

  it('is that of a namespace when a limiter of that namespace is closed, and the others go on', async () => {
    const engine = world.openAhead();
    const scoped = engine.scoped('tenant');
    for (const by of [engine, scoped]) {
      for (let index = 0; index < 40; index += 1) {
        await by.acquire('key', RESOURCE, { rpm: 1 }, { limits: () => [rpm(6_000)] });
        await world.sleepers.pass(10);
      }
    }
    const netOf = (namespaceId: string) => world.store.net({ namespaceId, entity: 'key', resource: RESOURCE, shard: 0 }, 'rpm');
    expect(netOf('tenant')).toBeGreaterThan(40);
    const { prefetched } = engine.stats.snapshot();

    await scoped.close();
    expect(netOf('tenant')).toBe(40);

    await world.run(engine, 40, 10);
    expect(engine.stats.snapshot().prefetched).toBeGreaterThan(prefetched);
    await engine.close();
    expect(world.net('key', 'rpm')).toBe(80);
  });

  it('is given back of many buckets when the limiter is closed, as far as its deadline allows', async () => {
    const engine = world.openAhead({}, { deadlineMs: 1_000 });
    const keys = times(40, () => 'key').map((key, index) => `${key}-${index}`);
    for (const key of keys) await world.warm(engine, key).then(() => world.runtime.advance(-1_000));
    const held = keys.filter((key) => world.net(key, 'rpm') > 0).length;
    world.store.onWrite = () => world.runtime.advance(300);
    const before = world.store.writes.length;

    await engine.close();

    expect(held).toBe(40);
    expect(world.store.writes.length - before).toBeLessThan(40);
  });

  it('is not given back twice where the reply is lost', async () => {
    const engine = world.openAhead();
    await world.warm(engine);
    world.store.mishapOf = () => ({ when: 'after', failure: new StoreFailure('timeout', 'unknown', 'lost') });
    const before = credits().length;

    await world.sleepers.pass(5_000);
    world.store.mishapOf = () => undefined;
    await engine.close();

    expect(credits().length - before).toBe(1);
    expect(world.net('key', 'rpm')).toBe(engine.stats.snapshot().admitted);
  });

  it('is given back when its limits have changed, and the new ones hold at once', async () => {
    const engine = world.openAhead();
    await world.warm(engine);
    const before = engine.stats.snapshot();
    world.set({ level: 'system' }, { limits: [rpm(5_000)] });
    engine.forget('ns', [{ level: 'system' }]);

    await ask(engine);
    await settled();

    expect(engine.stats.snapshot().prefetched).toBe(before.prefetched);
    expect(credits().length).toBe(1);
    await engine.close();
    expect(world.net('key', 'rpm')).toBe(engine.stats.snapshot().admitted);
  });

  it('is not served once this process knows that the bucket has met a newer configuration', async () => {
    const engine = world.openAhead();
    await world.warm(engine);
    world.set({ level: 'system' }, { limits: [rpm(5_000)] });
    await world.open().acquire('key', RESOURCE, { rpm: 1 });
    const lease = await engine.acquire('key', RESOURCE, { rpm: 1 });
    await lease.release();
    const { prefetched } = engine.stats.snapshot();

    await ask(engine);

    expect(engine.stats.snapshot()).toMatchObject({ prefetched, staleConfigurations: 1 });
    await engine.close();
  });

  it('is given back when its bucket is forgotten for others', async () => {
    const engine = world.openAhead({}, { maxEntries: 1 });
    await world.warm(engine);
    const served = engine.stats.snapshot().admitted;

    await ask(engine, 1, 'other');
    await settled();

    expect(world.net('key', 'rpm')).toBe(served);
    await engine.close();
  });

  it('leaks at most the chunk where all replies to its write are lost, and mints nothing', async () => {
    const engine = world.openAhead();
    const lost = new Map<number | undefined, number>();
    world.store.mishapOf = ({ moves: [move], request }) => {
      // Nobody asks for so much but a chunk, alone or with the one whose write it shares.
      if (move === undefined || move.form === 'credit' || !('tokens' in move) || move.tokens < 3) return undefined;
      lost.set(request?.id, move.tokens);
      return { when: 'after', failure: new StoreFailure('timeout', 'unknown', 'lost') };
    };
    const asked: Promise<unknown>[] = [];
    for (let index = 0; index < 40; index += 1) {
      asked.push(ask(engine).catch(() => undefined));
      await world.sleepers.pass(20);
    }
    await world.sleepers.pass(10_000);
    await Promise.all(asked);
    await engine.close();

    const leaked = [...lost.values()].reduce((sum, tokens) => sum + tokens, 0);
    expect(leaked).toBeGreaterThan(0);
    expect(world.net('key', 'rpm')).toBe(engine.stats.snapshot().admitted + leaked);
  });

  it('is served all the same where one reply is lost: the bucket remembers the write', async () => {
    const engine = world.openAhead();
    let isLost = false;
    world.store.mishapOf = ({ moves: [move] }) => {
      if (isLost || move === undefined || move.form === 'credit' || !('tokens' in move) || move.tokens < 3) return undefined;
      isLost = true;
      return { when: 'after', failure: new StoreFailure('timeout', 'unknown', 'lost') };
    };
    const asked: Promise<{ readonly allowed: boolean }>[] = [];
    for (let index = 0; index < 60; index += 1) {
      asked.push(ask(engine));
      await world.sleepers.pass(20);
    }

    expect((await Promise.all(asked)).every(({ allowed }) => allowed)).toBe(true);
    await engine.close();
    expect([isLost, world.net('key', 'rpm')]).toEqual([true, 60]);
  });
});
