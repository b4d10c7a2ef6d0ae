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

const ask = (by: Engine, tokens = 1, entity = 'key') => by.tryAcquire(entity, RESOURCE, { rpm: tokens });
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('a process that takes ahead', () => {
  it('serves most acquires from memory, and the books are right in the end', async () => {
    const engine = world.openAhead();

    expect(await world.run(engine, 200, 20)).toBe(200);

    expect(world.store.writes.length).toBeLessThan(30);
    expect(engine.stats.snapshot().prefetched).toBeGreaterThan(170);
    await engine.close();
    expect(world.net('key', 'rpm')).toBe(200);
  });

  it('takes nothing ahead of a bucket that is asked for rarely', async () => {
    const engine = world.openAhead();

    await world.run(engine, 20, 400);

    expect([world.store.writes.length, world.net('key', 'rpm')]).toEqual([20, 20]);
  });

  it('does so only for the resources that are named', async () => {
    const engine = world.openAhead({ resources: ['other'] });

    await world.run(engine, 50, 20);

    expect(world.store.writes).toHaveLength(50);
  });

  it('goes on when limits are read again, or handed in anew with each call, as long as they say the same', async () => {
    const [engine, handed] = [world.openAhead({ lifetimeMs: 10_000 }, { configTtlMs: 500 }), world.openAhead()];

    await world.run(engine, 200, 20);
    expect(world.store.writes.length).toBeLessThan(30);

    const before = world.store.writes.length;
    for (let index = 0; index < 200; index += 1) {
      await handed.acquire('other', RESOURCE, { rpm: 1 }, { limits: () => [rpm(6_000)] });
      await world.sleepers.pass(20);
    }
    expect(world.store.writes.length - before).toBeLessThan(40);
  });

  it('takes the chunk in the write of those who come at the same moment', async () => {
    const engine = world.openAhead();
    for (let round = 0; round < 3; round += 1) {
      const before = world.store.writes.length;
      expect(await Promise.all(times(64, () => ask(engine)))).toMatchObject(times(64, () => ({ allowed: true })));
      expect(world.store.writes.length - before).toBeLessThanOrEqual(1);
    }
    expect(engine.stats.snapshot().prefetched).toBeGreaterThan(0);
  });

  it('serves those who come while a chunk is on its way as soon as it is there', async () => {
    const engine = world.openAhead();
    await world.run(engine, 20, 20);
    let letGo: () => void = () => undefined;
    world.store.onWrite = () => new Promise<void>((go) => (letGo = go));
    const before = world.store.writes.length;
    const pending: Promise<{ readonly allowed: boolean }>[] = [];
    while (world.store.writes.length === before) {
      pending.push(ask(engine));
      await settled();
    }
    pending.push(...times(4, () => ask(engine)));
    await settled();
    world.store.onWrite = () => undefined;
    letGo();

    expect((await Promise.all(pending)).every(({ allowed }) => allowed)).toBe(true);
    expect(world.store.writes.length - before).toBe(1);
  });

  it('sends away who leaves while a chunk is on its way, and takes nothing for it', async () => {
    const engine = world.openAhead();
    await world.run(engine, 20, 20);
    let letGo: () => void = () => undefined;
    world.store.onWrite = () => new Promise<void>((go) => (letGo = go));
    let admitted = 20;
    const before = world.store.writes.length;
    const pending: Promise<unknown>[] = [];
    for (; world.store.writes.length === before; admitted += 1) {
      pending.push(ask(engine));
      await settled();
    }
    const controller = new AbortController();
    const leaving = engine.acquire('key', RESOURCE, { rpm: 1 }, { signal: controller.signal });
    await settled();
    controller.abort();
    world.store.onWrite = () => undefined;
    letGo();

    await expect(leaving).rejects.toMatchObject({ code: 'ABORTED' });
    await Promise.all(pending);
    await engine.close();
    expect(world.net('key', 'rpm')).toBe(admitted);
  });

  it('says truthfully what is left: what it holds is there for the next', async () => {
    const engine = world.openAhead();
    let mostHeld = 0;
    for (let index = 0; index < 40; index += 1) {
      const lease = await engine.acquire('key', RESOURCE, { rpm: 1 });
      const [own, atTable] = [await engine.available('key', RESOURCE), await world.open().available('key', RESOURCE)];
      expect(lease.remaining).toEqual(own);
      mostHeld = Math.max(mostHeld, (own['rpm'] ?? 0) - (atTable['rpm'] ?? 0));
      await world.sleepers.pass(1);
    }
    expect(mostHeld).toBeGreaterThan(5);
  });

  it('credits the store for what a lease gives back, as for any lease', async () => {
    const engine = world.openAhead();
    await world.warm(engine);
    const before = world.net('key', 'rpm');
    const sent = world.store.writes.length;
    const lease = await engine.acquire('key', RESOURCE, { rpm: 1 });
    expect(world.store.writes).toHaveLength(sent);

    await lease.release();

    expect(world.net('key', 'rpm')).toBe(before - 1);
    await engine.close();
  });

  it('never credits more time than was charged, whatever rounding makes of single tokens', async () => {
    world.set({ level: 'system' }, { limits: [rpm(3_330, { capacity: 3_000 })] });
    const engine = world.openAhead();
    const leases = [];
    for (let index = 0; index < 100; index += 1) {
      leases.push(await engine.acquire('key', RESOURCE, { rpm: 1 }));
      if (index % 10 === 0) await world.sleepers.pass(1);
    }
    const firstUs = world.runtime.clock.nowMs() * 1000;
    for (const lease of leases) await lease.release();
    await engine.close();

    expect(world.net('key', 'rpm')).toBe(0);
    const tatUs = world.store.bucket({ namespaceId: 'ns', entity: 'key', resource: RESOURCE, shard: 0 })?.limits.get('rpm')?.tatUs ?? 0;
    // As if nobody had ever come: full since the first write, ten milliseconds ago, and not since before it.
    expect(tatUs).toBeGreaterThanOrEqual(firstUs - 10_000);
    expect(tatUs).toBeLessThan(firstUs - 9_000);
  });
});
