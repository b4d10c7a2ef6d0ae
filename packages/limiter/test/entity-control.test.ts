import { type ConfigLevel, type EntityControl, StoreFailure } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';

let world: ConfigWorld;

function control(entity: string, mode: EntityControl['mode'], reason?: string): void {
  const level: ConfigLevel = { level: 'entity-default', entity };
  world.set(level, { control: { mode, ...(reason === undefined ? {} : { reason }) } });
}

beforeEach(() => {
  world = new ConfigWorld();
  world.set({ level: 'system' }, { limits: [rpm(2)] });
  world.place('project');
  world.place('key', 'project');
});

describe('a disabled entity', () => {
  it('is refused with the reason, and nothing is taken', async () => {
    control('key', 'disabled', 'unpaid');

    await expect(world.open().tryAcquire('key', RESOURCE, { rpm: 1 })).rejects.toMatchObject({
      code: 'ENTITY_DISABLED',
      entity: 'key',
      reason: 'unpaid',
    });
    expect(world.store.writes).toEqual([]);
  });

  it('takes those that cascade to it with it', async () => {
    control('project', 'disabled');

    await expect(world.open().acquire('key', RESOURCE, { rpm: 1 })).rejects.toMatchObject({ code: 'ENTITY_DISABLED', entity: 'project' });
  });
});

describe('an entity that is bypassed', () => {
  it('is neither limited nor counted, while its ancestors are', async () => {
    control('key', 'bypass');
    world.set({ level: 'entity-default', entity: 'project' }, { limits: [rpm(5)] });
    const engine = world.open();

    const leases = [await engine.acquire('key', RESOURCE, { rpm: 2 }), await engine.acquire('key', RESOURCE, { rpm: 2 })];
    await leases[0]?.adjust({ rpm: 1 });
    await leases[1]?.release();

    expect([world.net('key', 'rpm'), world.net('project', 'rpm')]).toEqual([0, 3]);
  });
});

describe('an entity in shadow mode', () => {
  it('is decided and counted, and never refused', async () => {
    control('lone', 'shadow');
    const engine = world.open();

    const leases = [];
    for (let index = 0; index < 5; index += 1) leases.push(await engine.acquire('lone', RESOURCE, { rpm: 1 }));

    expect(leases.map(({ shadowViolations }) => shadowViolations.length)).toEqual([0, 0, 1, 1, 1]);
    expect(leases[4]?.shadowViolations).toMatchObject([{ entity: 'lone', limit: 'rpm', exceeded: true, retryAfterMs: 30_000 }]);
    expect(world.net('lone', 'rpm')).toBe(5);
    expect(engine.stats.snapshot()).toMatchObject({ admitted: 5, rejected: 0, shadowRejections: 3 });
  });

  it('decides as enforcing would: what would have been refused does not use up what comes back', async () => {
    control('lone', 'shadow');
    const [shadow, enforced] = [world.open(), world.open()];
    const decisions: boolean[][] = [];
    for (let index = 0; index < 20; index += 1) {
      world.runtime.advance(10_000);
      const lease = await shadow.acquire('lone', RESOURCE, { rpm: 1 });
      const verdict = await enforced.tryAcquire('other', RESOURCE, { rpm: 1 });
      decisions.push([lease.shadowViolations.length === 0, verdict.allowed]);
    }

    expect(decisions.every(([one, other]) => one === other)).toBe(true);
    expect(decisions.filter(([one]) => one === true).length).toBeLessThan(20);
  });

  it('counts what was settled, and moves nothing by what it only counted', async () => {
    control('lone', 'shadow');
    const engine = world.open();
    await engine.acquire('lone', RESOURCE, { rpm: 2 });
    const counted = await engine.acquire('lone', RESOURCE, { rpm: 2 });

    await counted.adjust({ rpm: 3 });
    expect(world.net('lone', 'rpm')).toBe(7);
    await counted.release();

    expect(world.net('lone', 'rpm')).toBe(2);
    world.runtime.advance(60_000);
    expect((await engine.acquire('lone', RESOURCE, { rpm: 2 })).shadowViolations).toEqual([]);
  });

  it('lets a request through that is larger than the capacity', async () => {
    control('lone', 'shadow');
    const engine = world.open();

    expect((await engine.acquire('lone', RESOURCE, { rpm: 50 })).shadowViolations).toHaveLength(1);
    expect(world.net('lone', 'rpm')).toBe(50);
    expect((await engine.acquire('lone', RESOURCE, { rpm: 2 })).shadowViolations).toEqual([]);
  });

  it('below an ancestor that refuses gives back what it counted', async () => {
    control('key', 'shadow');
    world.set({ level: 'entity-default', entity: 'project' }, { limits: [rpm(3)] });
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 2 });

    expect(await engine.tryAcquire('key', RESOURCE, { rpm: 2 })).toMatchObject({ allowed: false });

    expect([world.net('key', 'rpm'), world.net('project', 'rpm')]).toEqual([2, 2]);
  });
});

describe('the namespace', () => {
  it('that was deleted refuses every acquire', async () => {
    world.set({ level: 'system' }, { closed: true });

    await expect(world.open().acquire('key', RESOURCE, { rpm: 1 })).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
  });
});

describe('what to do when the store cannot be reached', () => {
  const failing = () => ({ when: 'before', failure: new StoreFailure('refused', 'no', 'broken') }) as const;

  it('is what the namespace says, unless the call says otherwise', async () => {
    world.set({ level: 'system' }, { onUnavailable: 'allow' });
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    world.store.mishapOf = failing;

    expect((await engine.acquire('key', RESOURCE, { rpm: 1 })).degraded).toBe(true);
    await expect(engine.acquire('key', RESOURCE, { rpm: 1 }, { onUnavailable: 'block' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('is remembered after what was read has expired', async () => {
    world.set({ level: 'system' }, { onUnavailable: 'allow' });
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    world.runtime.advance(600_000);
    world.store.onConfigRead = () => {
      throw new StoreFailure('refused', 'no', 'broken');
    };

    const lease = await engine.acquire('key', RESOURCE, { rpm: 1 });
    await lease.adjust({ rpm: 5 });

    expect(lease.degraded).toBe(true);
  });

  it('is to block where nobody has said anything', async () => {
    const engine = world.open();
    await engine.acquire('key', RESOURCE, { rpm: 1 });
    world.store.mishapOf = failing;

    await expect(engine.acquire('key', RESOURCE, { rpm: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
