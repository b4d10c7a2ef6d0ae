import { type ConfigLevel, Limit } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';

const SYSTEM: ConfigLevel = { level: 'system' };
const RESOURCE_LEVEL: ConfigLevel = { level: 'resource', resource: RESOURCE };
const DEFAULT: ConfigLevel = { level: 'entity-default', entity: 'key' };
const OWN: ConfigLevel = { level: 'entity', entity: 'key', resource: RESOURCE };

let world: ConfigWorld;

beforeEach(() => {
  world = new ConfigWorld();
});

describe('limits that are stored', () => {
  it('come from the first level that has any, and that level wins whole', async () => {
    const engine = world.open({ configTtlMs: 0 });
    const found = async () => {
      const { limits, source } = await engine.explain('key', RESOURCE);
      return [source, limits?.map((limit) => `${limit.name}:${limit.capacity}`).join()];
    };

    expect(await found()).toEqual([undefined, undefined]);
    world.set(SYSTEM, { limits: [rpm(1), Limit.perMinute('tpm', 9)] });
    expect(await found()).toEqual(['system', 'rpm:1,tpm:9']);
    world.set(RESOURCE_LEVEL, { limits: [rpm(2)] });
    expect(await found()).toEqual(['resource', 'rpm:2']);
    world.set(DEFAULT, { limits: [rpm(3)] });
    expect(await found()).toEqual(['entity-default', 'rpm:3']);
    world.set(OWN, { limits: [rpm(4)] });
    expect(await found()).toEqual(['entity', 'rpm:4']);
    world.set(DEFAULT, { limits: undefined } as never);
    world.set(OWN, { limits: undefined } as never);
    expect(await found()).toEqual(['resource', 'rpm:2']);
  });

  it('cost one request for a cold acquire, two with three ancestors, and none for a warm one', async () => {
    world.set(SYSTEM, { limits: [rpm(10)] });
    for (const [id, parent] of [
      ['org', undefined],
      ['project', 'org'],
      ['team', 'project'],
      ['key', 'team'],
    ] as const)
      world.place(id, parent);
    const engine = world.open();

    await engine.acquire('lone', RESOURCE, { rpm: 1 });
    expect(world.store.configReads).toBe(1);
    await engine.acquire('lone', RESOURCE, { rpm: 1 });
    expect(world.store.configReads).toBe(1);
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    expect(world.store.configReads).toBe(3);
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    expect(world.store.configReads).toBe(3);
    expect(['key', 'team', 'project', 'org'].map((id) => world.net(id, 'rpm'))).toEqual([2, 2, 2, 2]);
  });

  it('are read once for 500 callers that come at the same time', async () => {
    world.set(SYSTEM, { limits: [rpm(1_000)] });
    const engine = world.open();

    const leases = await Promise.all(Array.from({ length: 500 }, () => engine.acquire('key', RESOURCE, { rpm: 1 })));

    expect(leases).toHaveLength(500);
    expect(world.store.configReads).toBe(1);
  });

  it('of a resource and of the system are read once for all entities', async () => {
    world.set(RESOURCE_LEVEL, { limits: [rpm(10)] });
    const asked: number[] = [];
    world.store.onConfigRead = (refs) => void asked.push(refs.length);
    const engine = world.open();

    for (const entity of ['a', 'b', 'c']) await engine.acquire(entity, RESOURCE, { rpm: 1 });

    expect(asked).toEqual([5, 3, 3]);
  });

  it('let an entity without limits of its own be limited by its ancestors alone', async () => {
    world.place('project');
    world.place('key', 'project');
    world.set({ level: 'entity-default', entity: 'project' }, { limits: [rpm(2)] });
    const engine = world.open();

    const lease = await engine.acquire('key', RESOURCE, { rpm: 2 });
    expect(await engine.tryAcquire('key', RESOURCE, { rpm: 1 })).toMatchObject({ allowed: false, statuses: [{ entity: 'project' }] });
    expect(await engine.available('key', RESOURCE)).toEqual({ rpm: 0 });
    await lease.adjust({ rpm: -1 });
    expect(world.net('project', 'rpm')).toBe(1);
    expect(world.net('key', 'rpm')).toBe(0);
  });

  it('are overridden by limits of the call, on every path (W-11)', async () => {
    world.set(OWN, { limits: [rpm(100)] });
    const engine = world.open();
    const limits = [rpm(1)];

    await engine.acquire('key', RESOURCE, { rpm: 1 }, { limits });

    expect(await engine.tryAcquire('key', RESOURCE, { rpm: 1 }, { limits })).toMatchObject({ allowed: false });
    expect(await engine.available('key', RESOURCE, { limits })).toEqual({ rpm: 0 });
    expect(await engine.timeUntilAvailable('key', RESOURCE, { rpm: 1 }, { limits })).toBe(60_000);
    expect(await engine.available('key', RESOURCE)).toMatchObject({ rpm: expect.any(Number) });
  });
});

describe('a request that the stored limits do not fit', () => {
  it('is refused by name where nothing limits the entity', async () => {
    await expect(world.open().acquire('key', RESOURCE, { rpm: 1 })).rejects.toMatchObject({
      code: 'VALIDATION',
      subject: 'limits of "key" on "model"',
    });
    expect(world.store.writes).toEqual([]);
  });

  it('is refused where no level ever had a limit of that name (W-09)', async () => {
    world.set(SYSTEM, { limits: [rpm(10)] });

    await expect(world.open().acquire('key', RESOURCE, { rmp: 1 })).rejects.toMatchObject({ code: 'VALIDATION', value: 'rmp' });
    expect(world.store.writes).toEqual([]);
  });

  it('is admitted at once where the limit was added a moment ago (W-07)', async () => {
    world.set(SYSTEM, { limits: [rpm(10)] });
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    world.runtime.advance(10);
    world.set(SYSTEM, { limits: [rpm(10), Limit.perMinute('tpm', 100)] });

    const lease = await engine.acquire('key', RESOURCE, { rpm: 1, tpm: 100 });

    expect(lease.remaining['rpm']).toBe(8);
    expect(world.net('key', 'tpm')).toBe(100);
    expect(await engine.tryAcquire('key', RESOURCE, { tpm: 1 })).toMatchObject({ allowed: false });
  });

  it('asks the table once a second at most, however often it is repeated', async () => {
    world.set(SYSTEM, { limits: [rpm(10)] });
    const engine = world.open();

    for (let index = 0; index < 50; index += 1)
      await expect(engine.acquire('key', RESOURCE, { rpm: 11 })).rejects.toThrow('at most its capacity');

    expect(world.store.configReads).toBe(2);
  });

  it('goes on where a limit that it asks of was taken away', async () => {
    world.set(SYSTEM, { limits: [rpm(10), Limit.perMinute('tpm', 100)] });
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 1, tpm: 100 });
    world.set(SYSTEM, { limits: [rpm(10)] });
    world.runtime.advance(60_000);

    const lease = await engine.acquire('key', RESOURCE, { rpm: 1, tpm: 100 });
    await lease.adjust({ tpm: 50 });
    await lease.adjust({ tpm: -150, rpm: -1 });

    expect(world.net('key', 'tpm')).toBe(100);
    await expect(lease.adjust({ tmp: 1 })).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
