import { CrashingTable, MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { brief, sums, verified } from '../../test/usage-books.js';
import { DAY_MS, HOUR_MS, NAMESPACE, UsageWorld } from '../../test/usage-world.js';

describe('a dropped batch', () => {
  it('is a gap with its amount and its place in every type of window that it lies between, and is booked; then all is clean', async () => {
    const world = new UsageWorld();
    await world.at('2027-05-30T10:10:00Z').use({ used: 10 });
    await world.at('2027-05-30T10:50:00Z').lose({ used: 5 });
    await world.lose({ returned: 2 });
    await world.at('2027-05-30T12:10:00Z').use({ used: 20 });
    await world.at('2027-05-31T23:00:00Z').lose({ used: 7 });
    await world.at('2027-06-01T09:00:00Z').use({ used: 1 });

    const found = [
      'gap hour rpm 05-30T10:00 > 05-30T12:00 5 2',
      'gap hour rpm 05-30T12:00 > 06-01T09:00 7 0',
      'gap day rpm 05-30T00:00 > 06-01T00:00 7 0',
      'gap week rpm 05-24T00:00 > 05-31T00:00 7 0',
      'gap month rpm 05-01T00:00 > 06-01T00:00 7 0',
    ];
    expect(await verified(world)).toEqual(found);
    expect(await sums(world)).toEqual([31, 34, 34, 34]);

    const repair = await world.usage.repair();
    expect(repair.repaired.map(brief)).toEqual(found);
    expect(repair).toMatchObject({ clean: true, repairedCount: 5, left: [] });

    expect(await world.usage.verify()).toMatchObject({ clean: true, found: [], inFlight: [] });
    expect(await sums(world)).toEqual([41, 41, 41, 41]);
    expect(await world.usage.repair()).toMatchObject({ clean: true, repairedCount: 0 });
  });

  it('repairs its total by itself where the next record is in the same window', async () => {
    const world = new UsageWorld();
    await world.use({ used: 10 });
    await world.lose({ used: 5 });
    await world.use({ used: 20 });

    expect(await sums(world)).toEqual([35, 35, 35, 35]);
    expect(await verified(world)).toEqual([]);
  });

  it('with the first acquire of a bucket is missed, too: the peer never counted it', async () => {
    const world = new UsageWorld();
    await world.lose({ used: 10 });
    world.nowMs += HOUR_MS;
    await world.use({ used: 1 });

    expect(await verified(world)).toEqual(
      ['hour', 'day', 'week', 'month'].map((type) => expect.stringMatching(`^beginning ${type} rpm - > .* 10 0$`)),
    );
    expect(await world.usage.repair()).toMatchObject({ clean: true });
    expect(await verified(world)).toEqual([]);
    expect(await sums(world)).toEqual([11, 11, 11, 11]);
  });

  it('from before the ledger was begun is not missed', async () => {
    const world = new UsageWorld();
    await world.lose({ used: 10 });
    world.nowMs += DAY_MS;
    await world.use({ used: 1 });

    expect(await world.usage.verify({ since: new Date(world.nowMs - HOUR_MS) })).toMatchObject({ clean: true });
  });

  it('with the last acquires of a bucket is in flight for a day, and then lost for certain, and booked', async () => {
    const world = new UsageWorld();
    await world.use({ used: 10 });
    await world.lose({ used: 4 });
    await world.lose({ returned: 1 });
    expect(await world.usage.verify()).toMatchObject({ clean: true, inFlight: [{ net: 3 }] });

    world.nowMs += DAY_MS + 2_000;

    expect(await verified(world)).toEqual(
      ['hour', 'day', 'week', 'month'].map((type) => expect.stringMatching(`^end ${type} rpm .* 4 1$`)),
    );
    expect(await world.usage.repair()).toMatchObject({ clean: true });
    expect(await world.usage.verify()).toMatchObject({ clean: true, found: [], inFlight: [] });
    expect(await sums(world)).toEqual([13, 13, 13, 13]);
  });

  it('of which some windows were written is completed from those, not from what comes later', async () => {
    const world = new UsageWorld();
    await world.at('2027-05-10T10:00:00Z').use({ used: 10 });
    world.at('2027-05-10T23:30:00Z');
    await world.book([await world.write({ used: 5 })], ['hour', 'month']);
    await world.at('2027-05-11T09:00:00Z').use({ used: 1 });

    expect(await verified(world)).toEqual(['nesting day rpm - > 05-10T00:00 5 0']);
    await world.usage.repair();

    expect(await verified(world)).toEqual([]);
    expect(await sums(world)).toEqual([16, 16, 16, 16]);
    expect(
      (await world.usage.summary({ entity: 'key-1', type: 'day', from: new Date('2027-05-10'), to: new Date('2027-05-11') })).resources,
    ).toMatchObject({
      'gpt-4': { rpm: { net: 15 } },
    });
  });

  it.each(['hour', 'day', 'week', 'month'] as const)('of one %s, taken out by hand, is found and put back', async (type) => {
    const table = new MemoryTable();
    const world = new UsageWorld({ table });
    for (let index = 0; index < 30; index += 1) {
      world.nowMs += 7 * HOUR_MS;
      await world.use({ used: index + 1 });
    }
    const before = await sums(world);
    const items = table.items().filter((item) => String(item['PK']).includes('/u/') && String(item['SK']).startsWith(`${type}/`));
    const [, victim = items[0]] = items;
    await table.deleteAll([{ partition: String(victim?.['PK']), sort: String(victim?.['SK']) }]);

    expect((await world.usage.verify()).clean).toBe(false);
    expect(await world.usage.repair()).toMatchObject({ clean: true });

    expect(await world.usage.verify()).toMatchObject({ clean: true, found: [] });
    expect(await sums(world)).toEqual(before);
  });

  it('that comes after all, when its gap has been booked, is counted once in the end', async () => {
    const world = new UsageWorld();
    await world.at('2027-05-10T10:10:00Z').use({ used: 10 });
    const late = await world.at('2027-05-10T10:50:00Z').write({ used: 5 });
    await world.at('2027-05-10T12:10:00Z').use({ used: 20 });
    await world.usage.repair();
    await world.book([late]);

    expect(await verified(world)).toEqual(['overlap hour rpm 05-10T10:00 > 05-10T12:00 -5 0']);
    await world.usage.repair();

    expect(await verified(world)).toEqual([]);
    expect(await sums(world)).toEqual([35, 35, 35, 35]);
  });
});

describe('a repair', () => {
  it('under live traffic changes nothing but what was missing, however often and by however many it is done', async () => {
    const world = new UsageWorld();
    let expected = 0;
    const use = async (used: number, isLost = false): Promise<void> => {
      expected += used;
      if (isLost) await world.lose({ used });
      else await world.use({ used });
    };
    for (let index = 0; index < 60; index += 1) {
      world.nowMs += 5 * HOUR_MS;
      await use(index + 1, index % 7 === 3);
    }
    // Live: while others wait, more is used, in this hour and in new ones.
    world.onSleep = async () => {
      world.nowMs += 20 * 60_000;
      await use(2);
    };

    await Promise.all([world.usage.repair(), world.usage.repair(), world.usage.repair()]);
    await world.usage.repair();

    expect(await world.usage.verify()).toMatchObject({ clean: true, found: [], inFlight: [] });
    expect(await sums(world)).toEqual([expected, expected, expected, expected]);
  });

  it('may end anywhere, and is gone on with', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at < 200; at += 3) {
        const memory = new MemoryTable();
        const world = new UsageWorld({ table: memory });
        await world.use({ used: 10 });
        world.nowMs += HOUR_MS;
        await world.lose({ used: 5 });
        world.nowMs += 40 * DAY_MS;
        await world.use({ used: 20 });
        const crashing = new CrashingTable(memory, { at, when });
        const dying = new UsageWorld({ table: crashing });
        dying.nowMs = world.nowMs;
        const isDone = await dying.usage.repair().then(
          () => true,
          () => false,
        );

        await world.usage.repair();

        expect(await sums(world)).toEqual([35, 35, 35, 35]);
        if (isDone) break;
      }
    }
  });

  it('leaves an event for each window, with who did it and what', async () => {
    const table = new MemoryTable();
    const world = new UsageWorld({ table });
    await world.use({ used: 10 });
    await world.lose({ used: 5 });
    world.nowMs += HOUR_MS;
    await world.use({ used: 1 });
    await world.usage.repair({ actor: 'alice' });

    const events = table.items().filter((item) => item['PK'] === `${NAMESPACE}/a/entity%2Fkey-1`);
    expect(events).toMatchObject([{ action: 'usage.repair', actor: 'alice', resource: 'gpt-4' }]);
    expect(JSON.parse(String(events[0]?.['after']))).toMatchObject([{ kind: 'gap', type: 'hour', limit: 'rpm', used: 5 }]);
  });

  it('books into a window what the aggregator would have: the items are the same', async () => {
    const [one, other] = [new MemoryTable(), new MemoryTable()];
    for (const table of [one, other]) {
      const world = new UsageWorld({ table });
      await world.use({ used: 10 });
      const step = await world.write({ used: 5 });
      // The first has lost the day of the record, the second has not.
      await world.book([step], table === one ? ['hour', 'week', 'month'] : undefined);
      if (table === one) await world.usage.repair();
    }
    const windows = (table: MemoryTable) => table.items().filter((item) => String(item['PK']).includes('/u/'));

    expect(windows(one)).toEqual(windows(other));
  });
});
