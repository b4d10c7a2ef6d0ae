import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, UsageWorld } from '../../test/usage-world.js';
import type { SnapshotsOptions, UsageSnapshot } from './snapshots.js';

const brief = ({ resource, start, limits }: UsageSnapshot) => `${resource} ${start.toISOString().slice(0, 16)} ${limits['rpm']?.net ?? 0}`;

async function allPages(world: UsageWorld, options: SnapshotsOptions, between: () => Promise<void> = async () => undefined) {
  const snapshots: UsageSnapshot[] = [];
  let [after, pages]: [string | undefined, number] = [undefined, 0];
  do {
    const page = await world.usage.snapshots({ ...options, ...(after === undefined ? {} : { after }) });
    snapshots.push(...page.snapshots);
    after = page.next;
    pages += 1;
    await between();
  } while (after !== undefined);
  return { snapshots, pages };
}

const range = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });

describe('usage by window', () => {
  it('is what was taken, given back and consumed, by limit, in windows that begin in the half-open range', async () => {
    const world = new UsageWorld();
    await world.at('2027-05-10T07:59:59Z').use({ used: 1 });
    await world.at('2027-05-10T08:00:00Z').use({ used: 5 });
    await world.at('2027-05-10T08:59:59Z').use({ returned: 2 });
    await world.use({ used: 30, limit: 'tpm' });
    await world.at('2027-05-10T09:00:00Z').use({ used: 7 });

    const page = await world.usage.snapshots({
      entity: 'key-1',
      resource: 'gpt-4',
      type: 'hour',
      ...range('2027-05-10T08:00:00Z', '2027-05-10T09:00:00Z'),
    });

    expect(page).toStrictEqual({
      snapshots: [
        {
          resource: 'gpt-4',
          type: 'hour',
          start: new Date('2027-05-10T08:00:00Z'),
          end: new Date('2027-05-10T09:00:00Z'),
          limits: { rpm: { used: 5, returned: 2, net: 3 }, tpm: { used: 30, returned: 0, net: 30 } },
          writes: 3,
        },
      ],
    });
    const starts = async (from: string, to: string) =>
      (await world.usage.snapshots({ entity: 'key-1', type: 'hour', ...range(from, to) })).snapshots.map(({ start }) =>
        start.getUTCHours(),
      );
    expect(await starts('2027-05-10T08:00:00.001Z', '2027-05-10T09:00:00.001Z')).toEqual([9]);
    expect(await starts('2027-05-10T07:59:59.999Z', '2027-05-10T08:59:59.999Z')).toEqual([8]);
  });

  it('does not take the hour at midnight for the day: the peer kept both under one key', async () => {
    const world = new UsageWorld();
    await world.at('2027-05-10T00:10:00Z').use({ used: 10 });
    await world.at('2027-05-10T05:10:00Z').use({ used: 7 });
    const day = range('2027-05-10T00:00:00Z', '2027-05-11T00:00:00Z');

    const hours = await world.usage.snapshots({ entity: 'key-1', type: 'hour', ...day });
    const days = await world.usage.snapshots({ entity: 'key-1', type: 'day', ...day });

    expect(hours.snapshots.map(brief)).toEqual(['gpt-4 2027-05-10T00:00 10', 'gpt-4 2027-05-10T05:00 7']);
    expect(days.snapshots.map(brief)).toEqual(['gpt-4 2027-05-10T00:00 17']);
  });

  it('sums the shards of a bucket and the eras of their items', async () => {
    const world = new UsageWorld();
    for (const shard of [0, 1, 2]) await world.use({ shard, used: 10 + shard });
    await world.expire({ shard: 1 });
    world.nowMs += 1_000;
    await world.use({ shard: 1, used: 100 });
    await world.use({ shard: 1, returned: 1 });

    const { snapshots } = await world.usage.snapshots({ entity: 'key-1', type: 'week', ...range('2027-05-10', '2027-05-11') });

    expect(snapshots).toMatchObject([{ limits: { rpm: { used: 133, returned: 1, net: 132 } } }]);
  });

  it('goes from resource to resource, whatever their names, a page at a time', async () => {
    const world = new UsageWorld();
    const resources = ['a', 'a/b', 'a%2Fb', 'b', 'é', '🦀'];
    for (const [index, resource] of resources.entries()) {
      for (const hour of ['08', '09', '11']) await world.at(`2027-05-10T${hour}:00:00Z`).use({ resource, used: index + 1 });
    }
    const options = { entity: 'key-1', type: 'hour', ...range('2027-05-10T09:00:00Z', '2027-05-10T12:00:00Z') } as const;

    const { snapshots, pages } = await allPages(world, { ...options, pageSize: 1 });

    expect(pages).toBe(12);
    expect(snapshots.map(brief).sort()).toEqual(
      resources.flatMap((name, index) => ['09', '11'].map((hour) => `${name} 2027-05-10T${hour}:00 ${index + 1}`)).sort(),
    );
    expect(await allPages(world, { ...options, pageSize: 5 })).toMatchObject({ snapshots });
  });

  it('gives 10,001 windows completely, each once and in order', async () => {
    const world = new UsageWorld({ at: '2027-01-01T00:00:00Z' });
    const fromMs = world.nowMs;
    world.types = ['hour'];
    for (let index = 0; index < 10_001; index += 1) {
      world.nowMs = fromMs + index * HOUR_MS;
      await world.use({ used: index + 1 });
    }
    const options = { entity: 'key-1', type: 'hour', from: new Date(fromMs), to: new Date(world.nowMs + 1), pageSize: 1_000 } as const;

    const { snapshots, pages } = await allPages(world, options);

    expect(pages).toBe(11);
    expect(snapshots.map(({ start, limits }) => [start.getTime(), limits['rpm']?.net])).toEqual(
      Array.from({ length: 10_001 }, (_, index) => [fromMs + index * HOUR_MS, index + 1]),
    );
  });

  it('pages survive what is written meanwhile: nothing comes twice, and nothing that was there is left out', async () => {
    const world = new UsageWorld();
    const start = Date.parse('2027-05-10T00:00:00Z');
    for (let hour = 0; hour < 48; hour += 2) {
      world.nowMs = start + hour * HOUR_MS;
      await world.use({ used: 1 });
    }
    let hour = 1;
    const write = async (): Promise<void> => {
      for (const offset of [0, 24]) {
        world.nowMs = start + ((hour + offset) % 48) * HOUR_MS;
        await world.use({ used: 1, shard: 1 });
      }
      hour += 2;
    };

    const { snapshots } = await allPages(
      world,
      { entity: 'key-1', resource: 'gpt-4', type: 'hour', from: new Date(start), to: new Date(start + 2 * DAY_MS), pageSize: 3 },
      write,
    );

    const starts = snapshots.map((snapshot) => (snapshot.start.getTime() - start) / HOUR_MS);
    expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
    expect(starts.filter((at) => at % 2 === 0)).toHaveLength(24);
  });
});

describe('gaps that are filled', () => {
  const filled = { entity: 'key-1', resource: 'gpt-4', fillGaps: true } as const;

  it.each([
    ['Europe/Berlin', '2027-03-28', 23],
    ['Europe/Berlin', '2027-10-31', 25],
    ['Europe/Berlin', '2027-06-01', 24],
    ['Australia/Lord_Howe', '2027-04-04', 25],
    ['Asia/Kathmandu', '2027-03-28', 24],
  ])('have a point for every hour of the day in %s on %s: %i', async (zone, date, count) => {
    const world = new UsageWorld({ zone });
    const day = await world.usage.snapshots({
      ...filled,
      type: 'day',
      from: new Date(`${date}T00:00:00Z`),
      to: new Date(`${date}T23:59:59Z`),
    });
    // The day of that date begins up to a day earlier or later by UTC.
    const near = await world.usage.snapshots({
      ...filled,
      type: 'day',
      from: new Date(Date.parse(date) - DAY_MS),
      to: new Date(Date.parse(date) + DAY_MS),
    });
    const local = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
    const [own] = near.snapshots.filter(({ start }) => local.format(start) === date);

    const hours = await world.usage.snapshots({ ...filled, type: 'hour', from: own?.start ?? new Date(), to: own?.end ?? new Date() });

    expect(day.snapshots.length).toBeLessThanOrEqual(1);
    expect(hours.snapshots).toHaveLength(count);
  });

  it('stand between those that are not, in order, and go on over pages', async () => {
    const world = new UsageWorld();
    await world.at('2027-05-10T01:00:00Z').use({ used: 3 });
    await world.at('2027-05-10T04:30:00Z').use({ used: 4 });
    const options = { ...filled, type: 'hour', ...range('2027-05-10T00:00:00Z', '2027-05-10T06:00:00Z') } as const;

    const { snapshots } = await allPages(world, { ...options, pageSize: 2 });

    expect(snapshots.map(brief)).toEqual(
      ['00:00 0', '01:00 3', '02:00 0', '03:00 0', '04:00 4', '05:00 0'].map((text) => `gpt-4 2027-05-10T${text}`),
    );
    expect(snapshots[0]).toMatchObject({ limits: {}, writes: 0, end: new Date('2027-05-10T01:00:00Z') });
  });

  it('are a whole series where nothing was used at all', async () => {
    const { snapshots } = await new UsageWorld().usage.snapshots({ ...filled, type: 'month', ...range('2028-01-01', '2029-01-01') });

    expect(snapshots.map(({ end, start }) => (end.getTime() - start.getTime()) / DAY_MS)).toEqual([
      31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
    ]);
  });
});

describe('what cannot be asked', () => {
  const good = { entity: 'key-1', type: 'hour', ...range('2027-05-10', '2027-05-11') } as const;

  it.each<[string, Record<string, unknown>]>([
    ['a type that there is not', { type: 'year' }],
    ['a range that ends before it begins', { to: new Date(0) }],
    ['a moment that is none', { from: new Date('no') }],
    ['a text for a moment', { from: '2027-05-10' }],
    ['a page of nothing', { pageSize: 0 }],
    ['a page that is too large', { pageSize: 1_001 }],
    ['a place of another type', { after: 'day/gpt-4/2027-05-10T00:00:00Z' }],
    ['a place of another resource', { resource: 'gpt-3', after: 'hour/gpt-4/2027-05-10T00:00:00Z' }],
    ['a place that is none', { after: 'hour/gpt-4/2027-02-30T00:00:00Z' }],
    ['gaps that are neither filled nor not', { fillGaps: 1 }],
    ['an option that there is not', { limit: 5 }],
    ['an entity without a name', { entity: '' }],
  ])('is %s', async (_, bad) => {
    await expect(new UsageWorld().usage.snapshots({ ...good, ...bad } as SnapshotsOptions)).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
