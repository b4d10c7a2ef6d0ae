import { WINDOW_TYPES } from '@millrace/core';
import { CrashingTable, MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, UsageWorld } from '../../test/usage-world.js';
import type { SummaryOptions } from './summary.js';

/** A few uses over three months, and what each was. */
async function furnished(zone: string) {
  const table = new CrashingTable(new MemoryTable());
  const world = new UsageWorld({ table, zone });
  const uses: { readonly atMs: number; readonly tokens: number; readonly resource: string }[] = [];
  const start = Date.parse('2027-03-01T00:00:00Z');
  for (let index = 0; index < 200; index += 1) {
    const use = { atMs: start + index * 11 * HOUR_MS + (index % 60) * 60_000, tokens: index + 1, resource: index % 3 === 0 ? 'a' : 'b' };
    uses.push(use);
    world.nowMs = use.atMs;
    await world.use({ resource: use.resource, used: use.tokens });
  }
  return { world, uses, table };
}

describe('a summary', () => {
  it.each(['UTC', 'Europe/Berlin', 'Asia/Kathmandu'])(
    'equals the sum of all that was used in the time, from hour to hour, in %s',
    async (zone) => {
      const { world, uses } = await furnished(zone);
      // Hours begin at a quarter to in Kathmandu.
      const shiftMs = zone === 'Asia/Kathmandu' ? HOUR_MS / 4 : 0;
      const start = Date.parse('2027-03-01T00:00:00Z') + shiftMs;

      for (const [fromHour, hours] of [
        [0, 2_300],
        [7, 1],
        [13, 100],
        [200, 1_500],
        [743, 746],
        [30, 0],
        [5, 743],
      ] as const) {
        const [fromMs, toMs] = [start + fromHour * HOUR_MS, start + (fromHour + hours) * HOUR_MS];
        const expected = (resource: string): number =>
          uses
            .filter((use) => use.resource === resource && use.atMs >= fromMs && use.atMs < toMs)
            .reduce((sum, { tokens }) => sum + tokens, 0);

        const { resources } = await world.usage.summary({ entity: 'key-1', from: new Date(fromMs), to: new Date(toMs) });

        expect(
          ['a', 'b'].map((name) => resources[name]?.['rpm']?.net ?? 0),
          `${fromHour} ${hours}`,
        ).toEqual([expected('a'), expected('b')]);
      }
    },
  );

  it('of one resource reads at most five stretches, however long it is', async () => {
    const { world, table } = await furnished('UTC');
    const before = table.requests;

    const summary = await world.usage.summary({
      entity: 'key-1',
      resource: 'a',
      from: new Date('2027-03-01T05:00:00Z'),
      to: new Date('2027-05-20T07:00:00Z'),
    });

    expect(Object.keys(summary.resources)).toEqual(['a']);
    expect(table.requests - before).toBe(5);
  });

  it('can be told of which windows to make it, where not all types are kept', async () => {
    const world = new UsageWorld();
    world.types = ['day'];
    await world.use({ used: 5 });
    const options = { entity: 'key-1', from: new Date('2027-05-01'), to: new Date('2027-06-01') };

    expect((await world.usage.summary(options)).resources).toEqual({});
    expect((await world.usage.summary({ ...options, type: 'day' })).resources).toEqual({
      'gpt-4': { rpm: { used: 5, returned: 0, net: 5 } },
    });
  });

  it('of days equals that of hours, and of months that of days', async () => {
    const { world } = await furnished('America/New_York');
    const month = { entity: 'key-1', from: new Date('2027-04-01T04:00:00Z'), to: new Date('2027-05-01T04:00:00Z') };

    const sums = await Promise.all(
      WINDOW_TYPES.filter((type) => type !== 'week').map(async (type) => (await world.usage.summary({ ...month, type })).resources),
    );

    expect(sums[0]).toEqual(sums[1]);
    expect(sums[1]).toEqual(sums[2]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['without an entity', { entity: undefined }],
    ['of a type that there is not', { type: 'minute' }],
    ['of a time that runs backwards', { to: new Date(Date.now() - 400 * DAY_MS), from: new Date() }],
    ['with an option that there is not', { group: 'hour' }],
  ])('%s is refused', async (_, bad) => {
    const options = { entity: 'key-1', from: new Date('2027-05-01'), to: new Date('2027-06-01'), ...bad } as SummaryOptions;

    await expect(new UsageWorld().usage.summary(options)).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
