import { DEFAULT_RETENTION } from '@millrace/ledger';
import { MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { brief } from '../../test/usage-books.js';
import { DAY_MS, HOUR_MS, NAMESPACE, UsageWorld } from '../../test/usage-world.js';
import { type CheckPeriodOptions, checkPeriod } from './check-period.js';

const START_MS = Date.parse('2027-05-12T00:00:00Z');
const DAY = { resource: 'gpt-4', startMs: START_MS, endMs: START_MS + DAY_MS };

/** Checks the 12th of May, on the 14th unless it is later. */
function check(world: UsageWorld, day = DAY, options: CheckPeriodOptions = {}) {
  world.nowMs = Math.max(world.nowMs, day.endMs + DAY_MS + HOUR_MS);
  return checkPeriod({ ...world.parts, types: world.types, retention: DEFAULT_RETENTION, namespaceId: NAMESPACE }, day, options);
}

/** What is told of each day of May, a line for each finding. */
async function toldByDay(world: UsageWorld): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let date = 1; date <= 25; date += 1) {
    const startMs = Date.UTC(2027, 4, date);
    const { found } = await check(world, { resource: 'gpt-4', startMs, endMs: startMs + DAY_MS });
    lines.push(...found.map((finding) => `${date}: ${brief(finding)}`));
  }
  return lines;
}

describe('the check of a day', () => {
  it('finds nothing where nothing is missing: of any shards, births, rests, and uses before and after', async () => {
    const world = new UsageWorld({ at: '2027-04-01T08:00:00Z' });
    for (let index = 0; index < 160; index += 1) {
      world.nowMs += 7 * HOUR_MS;
      const who = { entity: `key-${index % 3}`, shard: index % 4, limit: index % 5 === 0 ? 'tpm' : 'rpm' };
      await world.use({ ...who, used: 3 });
      await world.use({ ...who, returned: 1 });
      if (index === 90) for (const shard of [0, 1, 2, 3]) await world.expire({ entity: 'key-1', shard });
    }

    expect(await toldByDay(world)).toEqual([]);
    expect(await check(world)).toMatchObject({ checked: 3, findings: 0, gaps: 0, inFlight: 0, failures: [] });
    expect(await world.usage.verify()).toMatchObject({ clean: true });
    expect(world.slept).toEqual([]);
  });

  it('tells what is missing within it, at its beginning and at its end, each with its amount and place', async () => {
    const world = new UsageWorld({ at: '2027-05-11T10:00:00Z' });
    await world.use({ used: 10 });
    await world.at('2027-05-11T23:00:00Z').lose({ used: 7 });
    await world.at('2027-05-12T09:00:00Z').use({ used: 1 });
    await world.at('2027-05-12T10:00:00Z').lose({ used: 5, returned: 2 });
    await world.at('2027-05-12T12:00:00Z').use({ used: 2 });
    await world.at('2027-05-12T20:00:00Z').lose({ used: 3 });

    const { found, gaps, findings, inFlight } = await check(world);

    expect(found.map(brief)).toEqual([
      'gap hour rpm 05-12T09:00 > 05-12T12:00 5 2',
      'gap day rpm 05-11T00:00 > 05-12T00:00 7 0',
      'end day rpm 05-12T00:00 > 05-12T00:00 3 0',
    ]);
    expect({ gaps, findings, inFlight }).toEqual({ gaps: 3, findings: 3, inFlight: 0 });
    await world.usage.repair();
    expect((await check(world)).found).toEqual([]);
  });

  it('tells each loss by the day that lacks it, and by no other', async () => {
    const world = new UsageWorld({ at: '2027-05-03T10:00:00Z' });
    await world.use({ used: 10 });
    await world.at('2027-05-05T10:00:00Z').lose({ used: 7 });
    await world.at('2027-05-08T10:00:00Z').use({ used: 1 });
    await world.at('2027-05-09T10:00:00Z').use({ used: 1 });
    await world.at('2027-05-09T22:00:00Z').lose({ used: 4 });

    expect(await toldByDay(world)).toEqual([
      '8: gap day rpm 05-03T00:00 > 05-08T00:00 7 0',
      '9: end day rpm 05-09T00:00 > 05-09T00:00 4 0',
    ]);
  });

  it('sees what is missing before it, however long the entity has rested', async () => {
    const world = new UsageWorld({ at: '2027-03-01T10:00:00Z' });
    await world.use({ used: 10, shard: 2 });
    await world.at('2027-03-01T22:00:00Z').lose({ used: 7, shard: 2 });
    await world.at('2027-05-12T10:00:00Z').use({ used: 1, shard: 2 });

    expect((await check(world)).found.map(brief)).toEqual(['gap day rpm 03-01T00:00 > 05-12T00:00 7 0']);
  });

  it('misses the first records of a bucket, and not those from before the ledger was begun', async () => {
    const world = new UsageWorld({ at: '2027-05-10T10:00:00Z' });
    await world.lose({ entity: 'young', used: 10 });
    await world.at('2027-05-12T10:00:00Z').use({ entity: 'young', used: 1 });
    await world.at('2027-04-20T10:00:00Z').lose({ entity: 'old', used: 10 });
    await world.at('2027-05-12T10:00:00Z').use({ entity: 'old', used: 1 });

    const { found } = await check(world);

    expect(found.map((finding) => `${finding.entity}: ${brief(finding)}`)).toEqual(['young: beginning day rpm - > 05-12T00:00 10 0']);
  });

  it('finds that only some windows of a record were written', async () => {
    const world = new UsageWorld({ at: '2027-05-12T10:00:00Z' });
    await world.use({ used: 10 });
    await world.book([await world.at('2027-05-12T23:30:00Z').write({ used: 5 })], ['hour', 'month']);
    await world.at('2027-05-13T09:00:00Z').use({ used: 1 });

    expect((await check(world)).found.map(brief)).toEqual(['nesting day rpm - > 05-12T00:00 5 0']);
  });

  it('tells as in flight what was counted since, and may still come; of days that are checked together only one tells it', async () => {
    const world = new UsageWorld({ at: '2027-05-11T10:00:00Z' });
    await world.use({ used: 10 });
    await world.at('2027-05-12T10:00:00Z').use({ used: 1 });
    await world.at('2027-05-14T00:30:00Z').lose({ used: 4 });

    expect(await check(world)).toMatchObject({ findings: 0, inFlight: 1 });
    expect(await check(world, { ...DAY, startMs: START_MS - DAY_MS, endMs: START_MS })).toMatchObject({ findings: 0, inFlight: 0 });
  });

  it('does not mistake what is booked while it looks', async () => {
    const table = new MemoryTable();
    const world = new UsageWorld({ table, at: '2027-05-12T10:00:00Z' });
    await world.use({ used: 10 });
    const late = await world.at('2027-05-14T00:30:00Z').write({ used: 4 });
    const get = table.get.bind(table);
    table.get = async (keys) => {
      const items = await get(keys);
      table.get = get;
      await world.book([late]);
      return items;
    };

    expect(await check(world)).toMatchObject({ findings: 0, inFlight: 0 });
  });

  it('reads hours only where they are kept', async () => {
    const world = new UsageWorld({ at: '2027-05-11T10:00:00Z' });
    world.types = ['day', 'month'];
    await world.use({ used: 10 });
    await world.lose({ used: 3 });
    await world.at('2027-05-12T10:00:00Z').use({ used: 1 });

    expect((await check(world)).found.map(brief)).toEqual(['gap day rpm 05-11T00:00 > 05-12T00:00 3 0']);
  });

  it('tells what was lost of a limit of which nothing was ever booked, by the last day that has anything of its item', async () => {
    const world = new UsageWorld({ at: '2027-05-10T10:00:00Z' });
    await world.lose({ limit: 'tpm', used: 10 });
    await world.at('2027-05-11T10:00:00Z').use({ used: 1 });
    await world.at('2027-05-12T10:00:00Z').use({ used: 1 });

    expect(await toldByDay(world)).toEqual(['12: end day tpm - > 05-10T00:00 10 0']);
  });

  it('misses no hours that have expired', async () => {
    const table = new MemoryTable();
    const world = new UsageWorld({ table, at: '2027-05-12T08:00:00Z' });
    await world.use({ used: 10 });
    await world.at('2027-05-12T20:00:00Z').use({ used: 1 });
    world.at('2027-05-14T12:00:00Z');
    const expired = table.items().filter(({ SK }) => String(SK).startsWith('hour/gpt-4/2027-05-12T08'));
    await table.deleteAll(expired.map(({ PK, SK }) => ({ partition: String(PK), sort: String(SK) })));
    const parts = { ...world.parts, types: world.types, retention: { hour: 2, day: 400 }, namespaceId: NAMESPACE };

    expect(expired).toHaveLength(1);
    expect((await checkPeriod(parts, DAY)).found).toEqual([]);
    expect((await check(world)).found).toMatchObject([{ kind: 'nesting', type: 'hour' }]);
  });

  it('has a day of the zone, of 23 or 25 hours', async () => {
    const world = new UsageWorld({ zone: 'Europe/Berlin', at: '2027-03-27T22:30:00Z' });
    await world.use({ used: 10 });
    await world.at('2027-03-28T00:30:00Z').lose({ used: 3 });
    await world.at('2027-03-28T21:30:00Z').use({ used: 1 });
    const day = { resource: 'gpt-4', startMs: Date.parse('2027-03-27T23:00:00Z'), endMs: Date.parse('2027-03-28T22:00:00Z') };

    expect((await check(world, day)).found.map(brief)).toEqual(['gap day rpm 03-26T23:00 > 03-27T23:00 3 0']);
  });
});

/** Thirty entities of some shards each, every third of which lacks something. */
async function largeDay(): Promise<{ readonly world: UsageWorld; readonly table: MemoryTable }> {
  const table = new MemoryTable();
  const world = new UsageWorld({ table });
  for (let index = 0; index < 30; index += 1) {
    const entity = `key-${index}`;
    for (let shard = 0; shard <= index % 7; shard += 1) await world.at('2027-05-12T10:00:00Z').use({ entity, shard, used: 1 });
    if (index % 3 === 0) await world.at('2027-05-12T11:00:00Z').lose({ entity, used: index + 1 });
    await world.at('2027-05-12T12:00:00Z').use({ entity, used: 1 });
  }
  return { world, table };
}

describe('the check of all that used a resource in a day', () => {
  it('goes on where it was cut short, whenever that was, and tells each entity once', async () => {
    const { world } = await largeDay();
    const whole = await check(world);
    expect(whole).toMatchObject({ checked: 30, gaps: 10, findings: 10 });

    for (const requests of [21, 30, 48, 90]) {
      const [found, counts]: [string[], number[]] = [[], []];
      let place: CheckPeriodOptions['place'];
      let [checked, slices] = [0, 0];
      do {
        let asked = 0;
        const mayGoOn = (): boolean => {
          asked += 1;
          return asked <= requests;
        };
        const slice = await check(world, DAY, { place, mayGoOn });
        found.push(...slice.found.map((finding) => `${finding.entity} ${brief(finding)}`));
        counts.push(slice.gaps);
        [checked, slices, place] = [checked + slice.checked, slices + 1, slice.next];
      } while (place !== undefined && slices < 50);

      expect({ requests, checked, gaps: counts.reduce((sum, gaps) => sum + gaps, 0) }).toEqual({ requests, checked: 30, gaps: 10 });
      expect(found.sort()).toEqual(whole.found.map((finding) => `${finding.entity} ${brief(finding)}`).sort());
      expect(slices).toBeGreaterThan(1);
    }
  });

  it('begins nothing where there is no time', async () => {
    const { world, table } = await largeDay();
    table.indexed = () => expect.unreachable();

    expect(await check(world, DAY, { mayGoOn: () => false })).toMatchObject({ checked: 0, found: [], next: { name: 0 } });
  });

  it('passes over what cannot be read by anybody, and tells which', async () => {
    const { world, table } = await largeDay();
    const victim = table.items().find((item) => item['PK'] === `${NAMESPACE}/u/key-3` && String(item['SK']).startsWith('day/'));
    table.put({ ...victim, v: 99 });

    const { checked, gaps, failures, next } = await check(world);

    expect({ checked, gaps, next }).toEqual({ checked: 29, gaps: 9, next: undefined });
    expect(failures).toMatchObject([{ key: { partition: `${NAMESPACE}/u/key-3` }, error: { code: 'SCHEMA_VERSION' } }]);
  });

  it('costs three requests for each entity, and one for each page of the index', async () => {
    const { world, table } = await largeDay();
    const requests = { get: 0, query: 0, indexed: 0 };
    for (const name of ['get', 'query', 'indexed'] as const) {
      const ask = table[name].bind(table) as (...args: unknown[]) => Promise<never>;
      table[name] = ((...args: unknown[]) => {
        requests[name] += 1;
        return ask(...args);
      }) as never;
    }
    await check(world);

    expect(requests).toEqual({ get: 30, query: 60, indexed: 8 });
  });
});
