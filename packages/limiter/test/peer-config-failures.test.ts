import { type ConfigLevel, Limit } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';

const SYSTEM: ConfigLevel = { level: 'system' };
const RESOURCE_LEVEL: ConfigLevel = { level: 'resource', resource: RESOURCE };
const TTL_MS = 60_000;
const tpm = (tokens: number) => Limit.perMinute('tpm', tokens);

let world: ConfigWorld;

beforeEach(() => {
  world = new ConfigWorld();
});

/** How many single requests are admitted now. */
async function admitted(engine: ReturnType<ConfigWorld['open']>, amounts: Readonly<Record<string, number>> = { rpm: 1 }): Promise<number> {
  for (let count = 0; count < 1_000; count += 1) if (!(await engine.tryAcquire('key', RESOURCE, amounts)).allowed) return count;
  return 1_000;
}

describe('what a peer got wrong about limits that change', () => {
  it('W-07: a limit that is added to a live bucket is enforced from full, and bricks nobody who asks of it or does not', async () => {
    world.set(SYSTEM, { limits: [rpm(100)] });
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 10 });
    world.set(SYSTEM, { limits: [rpm(100), tpm(30)] });
    world.runtime.advance(TTL_MS);

    await engine.acquire('key', RESOURCE, { rpm: 1 });
    expect(await admitted(engine, { rpm: 1, tpm: 1 })).toBe(30);
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    expect(await engine.timeUntilAvailable('key', RESOURCE, { tpm: 1 })).toBe(2_000);
  });

  it('W-07: a limit that was taken away while it was exhausted comes back as it was left', async () => {
    world.set(SYSTEM, { limits: [rpm(100), Limit.perHour('tph', 60)] });
    const engine = world.open({ configTtlMs: 0 });
    await engine.acquire('key', RESOURCE, { rpm: 1, tph: 60 }).catch(() => engine.acquire('key', RESOURCE, { rpm: 1, tph: 58 }));
    world.set(SYSTEM, { limits: [rpm(100)] });
    await engine.acquire('key', RESOURCE, { rpm: 1, tph: 60 });
    world.runtime.advance(5);
    world.set(SYSTEM, { limits: [rpm(100), Limit.perHour('tph', 60)] });

    expect(await admitted(engine, { tph: 1 })).toBeLessThanOrEqual(2);
  });

  it('W-10: lowering the limits of a resource or of the system reaches buckets that are in use', async () => {
    world.set(RESOURCE_LEVEL, { limits: [rpm(100)] });
    const engine = world.open();
    expect(await admitted(engine)).toBeGreaterThanOrEqual(98);
    world.set(RESOURCE_LEVEL, { limits: [rpm(6)] });
    world.runtime.advance(TTL_MS);

    // What was taken under the old rate is paid back at the new one; never is there more than the new limit.
    expect(await admitted(engine)).toBeLessThanOrEqual(6);
    world.runtime.advance(60 * 60_000);
    expect(await admitted(engine)).toBe(6);
  });

  it('W-10: a raised limit reaches a bucket that is exhausted, without a fresh one', async () => {
    world.set(SYSTEM, { limits: [rpm(10)] });
    const engine = world.open();
    expect(await admitted(engine)).toBe(10);
    world.set(SYSTEM, { limits: [rpm(600, { capacity: 10 })] });
    world.runtime.advance(TTL_MS);
    await engine.tryAcquire('key', RESOURCE, { rpm: 10 });
    world.runtime.advance(500);

    expect(await admitted(engine)).toBeLessThanOrEqual(10);
    world.runtime.advance(500);
    expect(await admitted(engine)).toBe(5);
  });

  it('W-14, W-31: more than the capacity is another error than not now, also after the capacity was lowered', async () => {
    world.set(SYSTEM, { limits: [rpm(100)] });
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 50 });
    world.set(SYSTEM, { limits: [rpm(10)] });
    world.runtime.advance(TTL_MS);

    await expect(engine.acquire('key', RESOURCE, { rpm: 50 })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('W-32: an entity that gets a parent after its bucket was made is charged with it', async () => {
    world.set(SYSTEM, { limits: [rpm(10)] });
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    world.place('project');
    world.place('key', 'project');
    world.runtime.advance(TTL_MS);

    for (let index = 0; index < 5; index += 1) await engine.acquire('key', RESOURCE, { rpm: 1 });

    expect(world.net('project', 'rpm')).toBe(5);
  });

  it('W-32: a parent whose bucket was made through its child is charged with its own parents', async () => {
    world.set(SYSTEM, { limits: [rpm(10)] });
    for (const [id, parent] of [
      ['org', undefined],
      ['project', 'org'],
      ['key', 'project'],
    ] as const)
      world.place(id, parent);
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 1 });

    await engine.acquire('project', RESOURCE, { rpm: 1 });

    expect(['key', 'project', 'org'].map((id) => world.net(id, 'rpm'))).toEqual([1, 2, 2]);
  });

  it('W-33: a name that only the child limits costs the parent nothing, and both are enforced', async () => {
    world.place('project');
    world.place('key', 'project');
    world.set({ level: 'entity-default', entity: 'key' }, { limits: [rpm(10), tpm(100)] });
    world.set({ level: 'entity-default', entity: 'project' }, { limits: [tpm(60)] });
    const engine = world.open();

    for (let index = 0; index < 3; index += 1) await engine.acquire('key', RESOURCE, { rpm: 1, tpm: 10 });

    expect(world.store.writes).toHaveLength(6);
    expect(await engine.tryAcquire('key', RESOURCE, { tpm: 40 })).toMatchObject({ allowed: false });
  });

  it('W-34: what is available is the least of all levels', async () => {
    world.place('project');
    world.place('key', 'project');
    world.set({ level: 'entity-default', entity: 'key' }, { limits: [rpm(10)] });
    world.set({ level: 'entity-default', entity: 'project' }, { limits: [rpm(4)] });
    const engine = world.open();
    await engine.acquire('project', RESOURCE, { rpm: 3 });

    expect(await engine.available('key', RESOURCE)).toEqual({ rpm: 1 });
    expect(await engine.timeUntilAvailable('key', RESOURCE, { rpm: 2 })).toBe(15_000);
  });
});
