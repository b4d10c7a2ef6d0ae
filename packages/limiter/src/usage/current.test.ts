import { ValidationError } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, UsageWorld } from '../../test/usage-world.js';
import { Usage } from './usage.js';

describe('current usage', () => {
  it('is what buckets have counted, without the ledger: what was taken less what was given back, and what is left', async () => {
    const world = new UsageWorld();
    await world.lose({ used: 10 });
    await world.lose({ returned: 3 });
    await world.lose({ used: 100, shard: 1 });
    await world.lose({ used: 8, limit: 'tpm' });
    await world.lose({ used: 1, resource: 'gpt-3' });

    expect(await world.usage.current({ entity: 'key-1' })).toStrictEqual([
      { resource: 'gpt-3', since: new Date(world.nowMs), limits: { rpm: { net: 1, available: 7 } } },
      { resource: 'gpt-4', since: new Date(world.nowMs), limits: { rpm: { net: 107, available: 7 }, tpm: { net: 8 } } },
    ]);
    expect(await world.usage.current({ entity: 'key-1', resource: 'gpt-3' })).toHaveLength(1);
  });

  it('counts all items of a bucket that is spread, also where some between them have expired', async () => {
    const world = new UsageWorld();
    for (const shard of [0, 1, 2, 31]) await world.lose({ used: 10, shard });
    await world.expire({ shard: 1 });

    const all = await world.usage.current({ entity: 'key-1' });

    expect(all).toMatchObject([{ limits: { rpm: { net: 30 } } }]);
    expect(all).toStrictEqual(await world.usage.current({ entity: 'key-1', resource: 'gpt-4' }));
  });

  it('counts from when the bucket began, and says when that was', async () => {
    const world = new UsageWorld();
    await world.lose({ used: 10 });
    await world.expire();
    world.nowMs += HOUR_MS;
    await world.lose({ used: 2 });

    expect(await world.usage.current({ entity: 'key-1' })).toMatchObject([{ since: new Date(world.nowMs), limits: { rpm: { net: 2 } } }]);

    // Spread later: the oldest of its items says since when.
    const since = new Date(world.nowMs);
    world.nowMs += HOUR_MS;
    await world.lose({ used: 3, shard: 1 });
    expect(await world.usage.current({ entity: 'key-1' })).toMatchObject([{ since, limits: { rpm: { net: 5 } } }]);
  });

  it('of a bucket whose limits only its caller knew says nothing of what is left', async () => {
    const world = new UsageWorld();
    await world.lose({ used: 10 });
    const available = async () => {
      throw new ValidationError('limits', 'stored ones', undefined);
    };

    expect(await new Usage({ ...world.parts, available }).current({ entity: 'key-1' })).toMatchObject([{ limits: { rpm: { net: 10 } } }]);
  });

  it('is nothing for an entity or a resource that was never used', async () => {
    const world = new UsageWorld();
    await world.lose({ used: 10 });

    expect(await world.usage.current({ entity: 'key-2' })).toEqual([]);
    expect(await world.usage.current({ entity: 'key-1', resource: 'gpt-3' })).toEqual([]);
    await expect(world.usage.current({ entity: '' })).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
