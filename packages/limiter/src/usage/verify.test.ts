import { WINDOW_TYPES, type WireItem } from '@millrace/core';
import { stepOf } from '@millrace/ledger';
import { MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { sums, verified } from '../../test/usage-books.js';
import { DAY_MS, HOUR_MS, UsageWorld } from '../../test/usage-world.js';

describe('a ledger that is whole', () => {
  it('is found to be, in one look', async () => {
    const world = new UsageWorld();
    for (let index = 0; index < 100; index += 1) {
      world.nowMs += 5 * HOUR_MS;
      await world.use({ used: 3, shard: index % 3, entity: `key-${index % 2}` });
      await world.use({ returned: 1, shard: index % 3, entity: `key-${index % 2}` });
    }

    expect(await world.usage.verify()).toMatchObject({ clean: true, entities: 2, findings: 0, found: [], inFlight: [] });
    expect(world.slept).toEqual([]);
  });

  it('stays so when a bucket expires and begins anew, and that of its windows which have expired are gone', async () => {
    const table = new MemoryTable();
    const world = new UsageWorld({ table, at: '2027-01-05T08:00:00Z' });
    await world.use({ used: 3 });
    await world.expire();
    await world.at('2027-04-25T08:00:00Z').use({ used: 5 });
    await world.at('2027-05-30T08:00:00Z').use({ used: 7 });
    const expired = table.items().filter((item) => Number(item['ttl'] ?? Number.POSITIVE_INFINITY) < world.nowMs / 1_000);

    expect(await verified(world)).toEqual([]);
    expect(expired).toHaveLength(1);
    await table.deleteAll(expired.map((item) => ({ partition: String(item['PK']), sort: String(item['SK']) })));
    expect(await verified(world)).toEqual([]);
  });

  it('knows from the windows themselves how long they are kept, and keeps what it repairs as long', async () => {
    const table = new MemoryTable();
    const world = new UsageWorld({ table, at: '2027-01-05T08:00:00Z', retention: { hour: 10, month: 100 } });
    const ttls = () => table.items().flatMap(({ SK, ttl }) => (/^(hour|day|month)\//.test(String(SK)) ? [`${SK} ${ttl}`] : []));
    await world.use({ used: 3 });
    await world.at('2027-02-05T08:00:00Z').use({ used: 5 });
    const all = ttls();
    const taken = table.items().filter((item) => /^(hour|day|month)\/.*2027-02/.test(String(item['SK'])));
    await table.deleteAll(taken.map((item) => ({ partition: String(item['PK']), sort: String(item['SK']) })));

    // Of the hours only one is left, and it expired long ago: nobody misses those in between.
    expect(new Set((await verified(world)).map((line) => line.split(' ')[1]))).toEqual(new Set(['hour', 'day', 'month']));
    await world.usage.repair();

    expect(await verified(world)).toEqual([]);
    expect(ttls().sort()).toEqual(all.sort());
  });

  it('has nothing in flight of which only the longer windows are left', async () => {
    const table = new MemoryTable();
    const world = new UsageWorld({ table, at: '2027-01-05T08:00:00Z' });
    await world.use({ used: 3 });
    world.nowMs += 95 * DAY_MS;
    const hours = table.items().filter((item) => String(item['SK']).startsWith('hour/'));
    await table.deleteAll(hours.map((item) => ({ partition: String(item['PK']), sort: String(item['SK']) })));

    expect(await world.usage.verify()).toMatchObject({ clean: true, windows: 3, found: [], inFlight: [] });
  });

  it('tells what is in flight apart from what is lost', async () => {
    const world = new UsageWorld();
    await world.use({ used: 3 });
    const late = [await world.write({ used: 5 }), await world.write({ returned: 2 })];

    const verdict = await world.usage.verify();
    expect(verdict).toMatchObject({ clean: true, inFlight: [{ entity: 'key-1', limit: 'rpm', used: 5, returned: 2, net: 3 }] });
    expect(await world.usage.repair()).toMatchObject({ clean: true, repairedCount: 0 });

    // It comes while the verification looks once more.
    world.onSleep = () => world.book(late);
    expect(await world.usage.verify()).toMatchObject({ clean: true, inFlight: [] });
    expect(world.slept).toEqual([5_000, 5_000, 5_000]);
  });

  it('is not called broken for the moment in which some of the windows of a record are written', async () => {
    const world = new UsageWorld();
    await world.use({ used: 3 });
    world.nowMs += HOUR_MS;
    const step = await world.write({ used: 5 });
    await world.book([step], ['hour']);
    world.onSleep = () => world.book([step]);

    expect(await world.usage.verify()).toMatchObject({ clean: true, found: [], inFlight: [] });
  });

  it('is not called broken for what only the second look meets: it may be on its way', async () => {
    const world = new UsageWorld();
    await world.use({ used: 3 });
    const step = await world.write({ used: 5 });
    world.onSleep = () => world.book([step], ['hour', 'month']);

    expect(await world.usage.verify()).toMatchObject({ clean: true, found: [] });
    expect(await verified(world)).not.toEqual([]);
  });
});

describe('verifying', () => {
  it('of one entity and resource reads nothing else', async () => {
    const world = new UsageWorld();
    for (const entity of ['key-1', 'key-2']) {
      for (const resource of ['gpt-4', 'gpt-3']) {
        await world.use({ entity, resource, used: 1 });
        await world.lose({ entity, resource, used: 1 });
      }
    }
    world.nowMs += HOUR_MS;
    for (const entity of ['key-1', 'key-2']) for (const resource of ['gpt-4', 'gpt-3']) await world.use({ entity, resource, used: 1 });

    const named = async (options: object) =>
      (await world.usage.verify(options)).found
        .filter(({ type }) => type === 'hour')
        .map(({ entity, resource }) => `${entity} ${resource}`);

    expect(await named({ entity: 'key-2', resource: 'gpt-3' })).toEqual(['key-2 gpt-3']);
    expect((await named({ entity: 'key-2' })).sort()).toEqual(['key-2 gpt-3', 'key-2 gpt-4']);
    expect(await named({})).toHaveLength(4);
  });

  it('tells how far it has come, and finds entities that the ledger does not know at all', async () => {
    const world = new UsageWorld();
    await world.use({ entity: 'a/b', used: 1 });
    await world.lose({ entity: 'c', used: 2 });
    const progress: unknown[] = [];

    const verdict = await world.usage.verify({ onProgress: (step) => progress.push(step) });

    expect(verdict).toMatchObject({ clean: true, entities: 2, windows: 4, inFlight: [{ entity: 'c', net: 2 }] });
    expect(progress).toHaveLength(2);
    expect(progress.at(-1)).toEqual({ entities: 2, windows: 4, findings: 0 });
  });

  it('misses all of a bucket item of which nothing was ever booked, a day after its last write, and a repair books it', async () => {
    const world = new UsageWorld();
    await world.lose({ entity: 'c', used: 9 });
    await world.lose({ entity: 'c', returned: 2 });
    await world.use({ entity: 'spread', used: 1 });
    await world.lose({ entity: 'spread', used: 4, shard: 1 });
    const items = (listed: readonly { readonly entity: string; readonly shard: number }[]) =>
      [...new Set(listed.map(({ entity, shard }) => `${entity} ${shard}`))].sort();
    expect(items((await world.usage.verify()).inFlight)).toEqual(['c 0', 'spread 1']);

    world.nowMs += DAY_MS + 2_000;
    const { found, inFlight } = await world.usage.verify();
    expect(inFlight).toEqual([]);
    expect(items(found)).toEqual(['c 0', 'spread 1']);
    expect(found.filter(({ entity }) => entity === 'c').map(({ kind, type, net }) => `${kind} ${type} ${net}`)).toEqual(
      WINDOW_TYPES.map((type) => `end ${type} 7`),
    );
    expect(await world.usage.verify({ since: new Date(world.nowMs) })).toMatchObject({ clean: true });

    expect(await world.usage.repair()).toMatchObject({ clean: true, repairedCount: 8 });
    expect(await world.usage.verify()).toMatchObject({ clean: true, found: [], inFlight: [] });
    expect([await sums(world, 'c'), await sums(world, 'spread')]).toEqual([
      [7, 7, 7, 7],
      [5, 5, 5, 5],
    ]);
  });

  it('does not miss what was booked in windows that have all expired', async () => {
    const world = new UsageWorld();
    world.types = ['hour'];
    await world.use({ used: 1 });
    world.nowMs += 91 * DAY_MS;

    expect(await world.usage.verify({ types: ['hour'] })).toMatchObject({ clean: true, found: [] });
  });

  it('of what only some types are kept of, is told of which', async () => {
    const world = new UsageWorld();
    world.types = ['hour', 'month'];
    await world.use({ used: 1 });
    await world.lose({ used: 2 });
    world.nowMs += HOUR_MS;
    await world.use({ used: 1 });

    const { found } = await world.usage.verify({ types: ['hour', 'month'] });

    expect(found.map(({ type }) => type)).toEqual(['hour']);
  });

  it.each([
    [{ entity: '' }, 'entity'],
    [{ settleMs: -1 }, 'option "settleMs"'],
    [{ types: [] }, 'option "types"'],
    [{ types: ['year'] }, 'option "types"'],
    [{ since: 5 }, 'option "since"'],
    [{ onProgress: 1 }, 'option "onProgress"'],
    [{ repair: true }, 'options key'],
  ])('refuses %j, by its name', async (options, subject) => {
    await expect(new UsageWorld().usage.verify(options as never)).rejects.toMatchObject({ code: 'VALIDATION', subject });
  });
});

describe('records of expiry', () => {
  it('change nothing: the bucket is deleted, what it used was used', async () => {
    const world = new UsageWorld();
    const images: WireItem[] = [];
    world.onWrite = (item) => images.push(item);
    await world.use({ used: 5 });
    const before = await sums(world);
    await world.expire();
    const [oldImage = {}] = images;

    expect(stepOf({ eventId: 'expiry', atMs: world.nowMs, oldImage, isExpiry: true })).toBeUndefined();
    expect(await sums(world)).toEqual(before);
    expect(await verified(world)).toEqual([]);
  });
});
