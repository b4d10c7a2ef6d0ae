import { Limit } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { EngineWorld } from './engine-world.js';

const fast = [Limit.perMinute('rpm', 1_000, { reserve: 0 })];
const slow = [Limit.perMinute('rpm', 100, { capacity: 1_000, reserve: 0 })];

describe('a rate that changes while a lease is out', () => {
  it('leaves the lease, the limiter and a refusal saying the same of the bucket, before and after it is rescaled', async () => {
    const world = await EngineWorld.create();
    const [one, other] = [world.open(), world.open()];
    const lease = await one.acquire('lone', 'model', { rpm: 600 }, { limits: fast });

    expect(await other.available('lone', 'model', { limits: slow })).toEqual({ rpm: 400 });
    expect(await other.timeUntilAvailable('lone', 'model', { rpm: 401 }, { limits: slow })).toBe(600);
    await other.acquire('lone', 'model', { rpm: 1 }, { limits: slow });
    expect(await other.available('lone', 'model', { limits: slow })).toEqual({ rpm: 399 });

    await lease.adjust({ rpm: 100 });
    expect(lease.remaining).toEqual({ rpm: 299 });
    const refused = await one.tryAcquire('lone', 'model', { rpm: 300 }, { limits: fast });
    expect(refused).toMatchObject({ allowed: false, retryAfterMs: 60, statuses: [{ available: 299 }] });
    await lease.release();
    expect(lease.remaining).toEqual({ rpm: 999 });
    expect(await other.available('lone', 'model', { limits: slow })).toEqual({ rpm: 999 });
  });

  it('gives back at every level what a cascade had taken that one level refuses', async () => {
    const world = await EngineWorld.create();
    await world.open().acquire('org', 'model', { rpm: 950 }, { limits: fast });
    await world.open().acquire('key', 'model', { rpm: 10 }, { limits: fast });

    const verdict = await world.open().tryAcquire('key', 'model', { rpm: 100 }, { limits: slow });

    expect(verdict).toMatchObject({ allowed: false, retryAfterMs: 36_000 });
    expect(verdict).toMatchObject({ statuses: [{ available: 990 }, { available: 990 }, { available: 40 }] });
    expect(world.nets('rpm')).toEqual([10, 10, 960]);
  });
});
