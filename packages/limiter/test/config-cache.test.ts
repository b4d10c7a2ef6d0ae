import { type ConfigLevel, StoreFailure } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';

const SYSTEM: ConfigLevel = { level: 'system' };
const TTL_MS = 60_000;

let world: ConfigWorld;

beforeEach(() => {
  world = new ConfigWorld();
  world.set(SYSTEM, { limits: [rpm(10)] });
});

describe('what was read of the configuration', () => {
  it('is believed for its time and no longer', async () => {
    const engine = world.open();
    await engine.explain('key', RESOURCE);
    world.set(SYSTEM, { limits: [rpm(20)] });

    world.runtime.advance(1_000);
    expect((await engine.explain('key', RESOURCE)).limits?.[0]?.capacity).toBe(10);
    world.runtime.advance(TTL_MS - 1_000);
    expect((await engine.explain('key', RESOURCE)).limits?.[0]?.capacity).toBe(20);
  });

  it('is read each time where the time is 0', async () => {
    const engine = world.open({ configTtlMs: 0 });

    for (let index = 0; index < 3; index += 1) await engine.explain('key', RESOURCE);

    expect(world.store.configReads).toBe(3);
  });

  it('is read ahead of its expiry, and no caller waits for that', async () => {
    const engine = world.open();
    await engine.explain('key', RESOURCE);
    world.runtime.advance(3_000);
    await engine.explain('key', RESOURCE);
    const readsBefore = world.store.configReads;
    world.runtime.advance(TTL_MS - 3_001);
    let answer: () => void = () => undefined;
    world.store.onConfigRead = () => new Promise((resolve) => (answer = resolve));

    for (let index = 0; index < 10; index += 1) await engine.explain('key', RESOURCE);
    expect(world.store.configReads).toBe(readsBefore + 1);
    world.store.onConfigRead = () => undefined;
    answer();
    await engine.configs.idle();
    world.runtime.advance(2);
    await engine.explain('key', RESOURCE);

    expect(world.store.configReads).toBe(readsBefore + 1);
    expect(engine.configs.stats().refreshes).toBeGreaterThanOrEqual(4);
    expect(engine.configs.stats().size).toBe(5);
  });

  it('is read ahead at moments that differ', async () => {
    const dueMs: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const engine = world.open();
      await engine.explain(`key-${round}`, RESOURCE);
      const startMs = world.runtime.clock.nowMs();
      while (engine.configs.stats().refreshes === 0) {
        world.runtime.advance(500);
        await engine.explain(`key-${round}`, RESOURCE);
        await engine.configs.idle();
      }
      dueMs.push(world.runtime.clock.nowMs() - startMs);
    }
    expect(new Set(dueMs).size).toBeGreaterThan(5);
    expect(Math.min(...dueMs)).toBeGreaterThanOrEqual(TTL_MS * 0.75);
    expect(Math.max(...dueMs)).toBeLessThan(TTL_MS);
  });

  it('serves until its time is over where reading ahead fails, and then the caller hears of it', async () => {
    world.place('key');
    const engine = world.open();
    await engine.explain('key', RESOURCE);
    world.store.onConfigRead = () => {
      throw new StoreFailure('refused', 'no', 'broken');
    };

    world.runtime.advance(TTL_MS - 1_000);
    expect((await engine.explain('key', RESOURCE)).limits?.[0]?.capacity).toBe(10);
    await engine.configs.idle();
    world.runtime.advance(1_000);
    await expect(engine.explain('key', RESOURCE)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('includes what is not there', async () => {
    const engine = world.open();
    await engine.explain('key', RESOURCE);
    await engine.explain('key', RESOURCE);

    expect(engine.configs.stats()).toMatchObject({ hits: 5, misses: 5, size: 5, ageMs: 0 });
  });

  it('is bounded in entries', async () => {
    const engine = world.open({ maxEntries: 10 });

    for (let index = 0; index < 100; index += 1) await engine.explain(`key-${index}`, RESOURCE);

    expect(engine.configs.stats().size).toBe(10);
  });

  it('is forgotten by invalidate, in this process only', async () => {
    const [one, other] = [world.open(), world.open()];
    await one.explain('key', RESOURCE);
    await other.explain('key', RESOURCE);
    world.set(SYSTEM, { limits: [rpm(20)] });

    one.configs.clear();

    expect((await one.explain('key', RESOURCE)).limits?.[0]?.capacity).toBe(20);
    expect((await other.explain('key', RESOURCE)).limits?.[0]?.capacity).toBe(10);
  });

  it('is read as of now where this process has changed it', async () => {
    const engine = world.open();
    await engine.explain('key', RESOURCE);
    world.set(SYSTEM, { limits: [rpm(20)] });
    engine.configs.forget('ns', [SYSTEM]);

    expect((await engine.explain('key', RESOURCE)).limits?.[0]?.capacity).toBe(20);
  });

  it('is not taken from a reading that began before this process changed it', async () => {
    const engine = world.open();
    let answer: () => void = () => undefined;
    world.store.onConfigRead = () => new Promise((resolve) => (answer = resolve));
    const early = engine.explain('key', RESOURCE);
    await Promise.resolve();
    world.store.onConfigRead = () => undefined;
    world.set(SYSTEM, { limits: [rpm(20)] });
    engine.configs.forget('ns', [SYSTEM]);
    const late = engine.explain('key', RESOURCE);
    answer();

    expect((await early).limits?.[0]?.capacity).toBe(10);
    expect((await late).limits?.[0]?.capacity).toBe(20);
    expect((await engine.explain('key', RESOURCE)).limits?.[0]?.capacity).toBe(20);
  });
});

describe('a bucket that has met a newer configuration', () => {
  it('refuses an older writer once, which reads again and goes on', async () => {
    const [old, young] = [world.open(), world.open()];
    await old.acquire('key', RESOURCE, { rpm: 1 });
    world.runtime.advance(10);
    world.set(SYSTEM, { limits: [rpm(3)] });
    await young.acquire('key', RESOURCE, { rpm: 2 });

    expect(await old.tryAcquire('key', RESOURCE, { rpm: 1 })).toMatchObject({ allowed: false });
    expect(old.stats.snapshot().staleConfigurations).toBe(1);
  });

  it('is believed where even the table knows nothing so new', async () => {
    world.set({ level: 'entity-default', entity: 'key' }, { control: { mode: 'enforce' } });
    await world.open().acquire('key', RESOURCE, { rpm: 1 });
    world.store.setConfig('ns', { level: 'entity-default', entity: 'key' }, undefined);
    const engine = world.open();

    await engine.acquire('key', RESOURCE, { rpm: 1 });
    await engine.acquire('key', RESOURCE, { rpm: 1 });

    expect(world.net('key', 'rpm')).toBe(3);
    expect(engine.stats.snapshot().staleConfigurations).toBe(1);
  });

  it('makes a thousand callers read again once', async () => {
    world.set(SYSTEM, { limits: [rpm(10_000)] });
    const old = world.open();
    await old.acquire('key', RESOURCE, { rpm: 1 });
    world.runtime.advance(10);
    world.set(SYSTEM, { limits: [rpm(10_001)] });
    await world.open().acquire('key', RESOURCE, { rpm: 1 });
    const before = world.store.configReads;

    await Promise.all(Array.from({ length: 1_000 }, () => old.acquire('key', RESOURCE, { rpm: 1 })));

    expect(world.store.configReads).toBe(before + 1);
  });
});
