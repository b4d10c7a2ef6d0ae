import { debitUs, FIRST_LAYOUT, formFor, Limit, layoutAfter, timingOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { type EntitiesWorld, entitiesWorld } from '../../test/entities-world.js';
import { START_MS } from '../../test/limits-world.js';
import { bucketItem } from '../../test/planted-tree.js';

const NOW_US = START_MS * 1_000;
/** Where a reset leaves an arrival time: ten years before now, so that no dead-band is missing either. */
const RESTED_US = NOW_US - 10 * 366 * 86_400_000_000;
/** A token's time at a hundred a minute. */
const TOKEN_US = 600_000;

/** An item of a bucket, one of so many, that lacks so many tokens of each limit. */
function lacking(world: EntitiesWorld, tokens: Readonly<Record<string, number>>, shard = 0, items = 1): void {
  const arrivals = Object.entries(tokens).map(([limit, missing]) => [limit, NOW_US + missing * TOKEN_US * items]);
  const item = bucketItem('ns1', { entity: 'key', resource: 'gpt', shard }, Object.fromEntries(arrivals));
  world.table.put(items === 1 ? item : { ...item, n: layoutAfter(FIRST_LAYOUT, items) });
}

const bucket = (world: EntitiesWorld, shard = 0) => world.item(`ns1/b/key/${shard}`, 'gpt') ?? {};

describe('resetting a bucket', () => {
  it('makes every limit full, on every shard, and leaves what was counted', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90, tpm: 0.5, idle: -30 }, 0, 8);
    lacking(world, { rpm: 40, tpm: -1 }, 1, 8);
    lacking(world, { rpm: 7 }, 5, 8);
    const before = [0, 1, 5].map((shard) => bucket(world, shard));

    await world.entities.reset('key', 'gpt');

    expect([0, 1, 5].map((shard) => bucket(world, shard))).toEqual([
      { ...before[0], 't.rpm': RESTED_US, 't.tpm': RESTED_US, 't.idle': RESTED_US, seq: 8 },
      { ...before[1], 't.rpm': RESTED_US, 't.tpm': RESTED_US, seq: 8 },
      { ...before[2], 't.rpm': RESTED_US, seq: 8 },
    ]);
  });

  it('leaves a bucket that admits a request of its whole capacity, whatever its rate and its reserve', () => {
    const limits = [
      Limit.perDay('rpd', 1_000),
      Limit.perMinute('tpm', 100_000, { capacity: 1_000_000, reserve: 0.5 }),
      Limit.of({ name: 'slowest', refill: 1, periodMs: 366 * 86_400_000, capacity: 20, reserve: 0.5 }),
    ];

    const admitted = limits.map((limit) => formFor(timingOf(limit), RESTED_US, NOW_US, debitUs(timingOf(limit), limit.capacity)));

    expect(admitted).toEqual(['idle', 'idle', 'idle']);
  });

  it('leaves an event of what was missing', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90, tpm: 0.5 }, 0, 2);
    lacking(world, { rpm: 40 }, 1, 2);
    // What a merge has left behind.
    lacking(world, { rpm: 500 }, 2, 2);

    await world.entities.reset('key', 'gpt', { actor: 'ada' });

    expect(world.events()).toMatchObject([
      {
        action: 'bucket.reset',
        subject: 'entity/key',
        resource: 'gpt',
        actor: 'ada',
        before: '{"missing":{"rpm":130,"tpm":1}}',
        after: '{"missing":{}}',
      },
    ]);
  });

  it('makes full, too, what an item of a split that is under way is to begin with', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90 }, 0, 2);
    world.table.put({ ...bucket(world), 's.rpm': NOW_US + 5, 's.tpm': NOW_US - 5, 'z.rpm': '-' });

    await world.entities.reset('key', 'gpt');

    expect(bucket(world)).toMatchObject({ 't.rpm': RESTED_US, 's.rpm': RESTED_US, 's.tpm': RESTED_US });
  });

  it('writes nothing where it was reset and nobody has taken since', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 0, tpm: -5 });
    await world.entities.reset('key', 'gpt');
    const before = world.table.items();

    await world.entities.reset('key', 'gpt');

    expect(world.table.items()).toEqual(before);
  });

  it('wins over what is taken in between, and makes no bucket that has expired', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 10 });
    world.before = async () => lacking(world, { rpm: 60 });
    await world.entities.reset('key', 'gpt');
    expect(bucket(world)['t.rpm']).toBe(RESTED_US);

    lacking(world, { rpm: 10 });
    world.before = () => world.table.deleteAll([{ partition: 'ns1/b/key/0', sort: 'gpt' }]);

    await expect(world.entities.reset('key', 'gpt')).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(bucket(world)).toEqual({});
  });
});

describe('granting tokens', () => {
  it('gives them back in the scale of the bucket, and leaves what was counted', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90, tpm: 50 });
    const before = bucket(world);

    await world.entities.grant('key', 'gpt', { rpm: 20 });

    expect(bucket(world)).toEqual({ ...before, 't.rpm': NOW_US + 70 * TOKEN_US, seq: 8 });
  });

  it('rounds down where a token takes no whole number of microseconds', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90 });
    world.table.put({ ...bucket(world), 'p.rpm': '60000000/7' });

    await world.entities.grant('key', 'gpt', { rpm: 1 });

    expect(bucket(world)['t.rpm']).toBe(NOW_US + 90 * TOKEN_US - 8_571_428);
  });

  it('of more than is missing makes it full, however much that is', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90 });

    for (let times = 0; times < 5; times += 1) await world.entities.grant('key', 'gpt', { rpm: 1_000_000_000_000 });

    const arrival = Number(bucket(world)['t.rpm']);
    expect(arrival).toBeLessThan(NOW_US);
    expect(Number.isSafeInteger(arrival)).toBe(true);
  });

  it('tells what was added: no more than was missing, and nothing of a full bucket', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90, tpm: -1 });
    world.table.put({ ...bucket(world), 'p.rpm': '60000000/7' });
    const missing = Math.ceil((90 * TOKEN_US * 7) / 60_000_000);

    expect(await world.entities.grant('key', 'gpt', { rpm: 2, tpm: 5_000 })).toEqual({ rpm: 2, tpm: 0 });
    expect(await world.entities.grant('key', 'gpt', { rpm: 5_000 })).toEqual({ rpm: missing - 2 });
    expect(await world.entities.grant('key', 'gpt', { rpm: 5_000 })).toEqual({ rpm: 0 });
  });

  it('tells what was added to all items of several together', async () => {
    const world = entitiesWorld();
    for (const [shard, missing] of [90, 5].entries()) lacking(world, { rpm: missing }, shard, 2);

    expect(await world.entities.grant('key', 'gpt', { rpm: 20 })).toEqual({ rpm: 15 });
  });

  it('gives each item of several its part, and none to those that a merge has left behind', async () => {
    const world = entitiesWorld();
    for (const [shard, missing] of [90, 30, 5].entries()) lacking(world, { rpm: missing }, shard, 2);
    lacking(world, { rpm: 30, tpm: 7 }, 1, 2);

    await world.entities.grant('key', 'gpt', { rpm: 20, tpm: 4 });

    const arrivals = [0, 1, 2].map((shard) => [bucket(world, shard)['t.rpm'], bucket(world, shard)['t.tpm']]);
    expect(arrivals).toEqual([
      [NOW_US + (2 * 90 - 20) * TOKEN_US, undefined],
      [NOW_US + (2 * 30 - 20) * TOKEN_US, NOW_US + (2 * 7 - 4) * TOKEN_US],
      [NOW_US + 2 * 5 * TOKEN_US, undefined],
    ]);
    expect(world.events()[0]).toMatchObject({ before: '{"missing":{"rpm":120,"tpm":7}}' });
  });

  it('begins again where the bucket is spread over more items in between', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90 });
    world.before = async () => {
      for (const shard of [0, 1]) lacking(world, { rpm: 45 }, shard, 2);
    };

    await world.entities.grant('key', 'gpt', { rpm: 20 });

    expect([0, 1].map((shard) => bucket(world, shard)['t.rpm'])).toEqual(Array(2).fill(NOW_US + (90 - 20) * TOKEN_US));
  });

  it('leaves an event of what was missing and what was granted', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90, tpm: -1 });

    await world.entities.grant('key', 'gpt', { rpm: 20, tpm: 1 }, { actor: 'ada' });

    expect(world.events()).toMatchObject([
      {
        action: 'bucket.grant',
        subject: 'entity/key',
        resource: 'gpt',
        actor: 'ada',
        before: '{"missing":{"rpm":90}}',
        after: '{"granted":{"rpm":20,"tpm":0},"asked":{"rpm":20,"tpm":1}}',
      },
    ]);
  });

  it('adds to what others take and give in between, also when they change the scale', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90 });
    world.before = async () => world.table.put({ ...bucket(world), 't.rpm': NOW_US + 600_000, 'p.rpm': '60000/1' });

    await world.entities.grant('key', 'gpt', { rpm: 3 });

    expect(bucket(world)['t.rpm']).toBe(NOW_US + 600_000 - 3 * 60_000);
  });

  it('is refused for a limit that the bucket does not keep, and gives nothing of the others', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90, tpm: 5 });
    const before = world.table.items();

    const refusal = world.entities.grant('key', 'gpt', { rpm: 1, rmp: 1 });

    await expect(refusal).rejects.toMatchObject({ code: 'VALIDATION', value: 'rmp', message: expect.stringContaining('rpm, tpm') });
    expect(world.table.items()).toEqual(before);
  });

  it('is refused for a limit whose rate the bucket does not keep', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 90 });
    const { 'p.rpm': _, ...older } = bucket(world);
    world.table.put(older);

    await expect(world.entities.grant('key', 'gpt', { rpm: 1 })).rejects.toMatchObject({ code: 'SCHEMA_VERSION' });

    expect(bucket(world)).toEqual(older);
  });

  it.each([{}, { rpm: 0 }, { rpm: -1 }, { rpm: 1.5 }, { rpm: 1e13 }, { rpm: '1' }, [], null, 5])(
    'is refused for amounts of %j, before anything is sent',
    async (amounts) => {
      const world = entitiesWorld();

      await expect(world.entities.grant('key', 'gpt', amounts as never)).rejects.toMatchObject({ code: 'VALIDATION' });

      expect(world.reads()).toBe(0);
    },
  );
});

describe('a bucket that is not there', () => {
  it('is neither reset nor granted anything, and is not made', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 5 });
    const before = world.table.items();

    for (const refusal of [world.entities.reset('key', 'gpt-5'), world.entities.grant('other', 'gpt-5', { rpm: 1 })]) {
      await expect(refusal).rejects.toMatchObject({
        code: 'VALIDATION',
        value: 'gpt-5',
        message: expect.stringContaining('nothing was taken'),
      });
    }

    expect(world.table.items()).toEqual(before);
  });

  it('of a schema that this release cannot read is left as it is', async () => {
    const world = entitiesWorld();
    lacking(world, { rpm: 5 });
    world.table.put({ ...bucket(world), v: 9 });
    const before = world.table.items();

    for (const refusal of [world.entities.reset('key', 'gpt'), world.entities.grant('key', 'gpt', { rpm: 1 })]) {
      await expect(refusal).rejects.toMatchObject({ code: 'SCHEMA_VERSION' });
    }

    expect(world.table.items()).toEqual(before);
  });
});
