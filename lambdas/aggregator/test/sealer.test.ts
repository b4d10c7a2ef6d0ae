import { makeSealer, SCHEDULE_EVENT, type SealerOptions } from '@millrace/aggregator-lambda';
import { type OpenPeriod, openPeriodKey, sealKey } from '@millrace/core';
import { type ItemTable, Namespaces } from '@millrace/limiter/admin';
import { CrashingTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { AdministeredTable } from './administered-table.js';
import { NotedMetrics } from './batch-world.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2027, 5, 2, 12);
const CONTEXT = { getRemainingTimeInMillis: () => 60_000 };

/** A table with namespaces, and marks of periods in them, without any windows: a period in which all has expired is sealed, too. */
class SealWorld extends AdministeredTable {
  constructor() {
    super(NOW_MS);
  }

  /** Marks the day that ended so many days ago, or will end. */
  async mark(namespace: string, resource: string, endedDaysAgo: number): Promise<OpenPeriod> {
    const endMs = Date.UTC(2027, 5, 2) - endedDaysAgo * DAY_MS;
    const period = { namespaceId: this.ids.get(namespace) ?? '', resource, type: 'day', startMs: endMs - DAY_MS, endMs } as const;
    const { partition: PK, sort: SK } = openPeriodKey(period);
    await this.table.transact([{ kind: 'put', item: { PK, SK, v: 1 } }]);
    return period;
  }

  invoke(options: SealerOptions = {}, context = CONTEXT, items: ItemTable = this.table) {
    const sealer = makeSealer({ administration: this.parts(items), metrics: this.metrics, options });
    return sealer({ ...SCHEDULE_EVENT, time: '2027-06-02T12:00:00Z' }, context);
  }

  /** Events by which seals were written, in the order of their writing. */
  get events(): readonly string[] {
    return this.table
      .items()
      .filter((item) => /^[0-9a-f]+\/a$/.test(String(item['PK'])) && item['action'] === 'usage.seal')
      .sort((a, b) => (String(a['SK']) < String(b['SK']) ? -1 : 1))
      .map((item) => String(item['subject']));
  }

  get marks(): number {
    return this.table.items().filter((item) => String(item['PK']).endsWith('/open')).length;
  }

  async isSealed({ namespaceId, type, resource, startMs }: OpenPeriod): Promise<boolean> {
    const [seal] = await this.table.get([sealKey(namespaceId, type, resource, startMs)]);
    return seal !== undefined;
  }
}

/** Marks of a few days and resources in three namespaces, all of them due. */
async function markedWorld(): Promise<SealWorld> {
  const world = await new SealWorld().register('acme', 'globex', 'initech');
  for (const [namespace, ...resources] of [['acme', 'a1', 'a2', 'a3'], ['globex'], ['initech', 'i1', 'i2']] as const) {
    for (const [index, resource] of resources.entries()) await world.mark(namespace, resource, 5 - index);
  }
  return world;
}

describe('a round of sealing', () => {
  it('seals what ended long enough ago, the oldest first, and leaves the rest until it is due', async () => {
    const world = await new SealWorld().register('acme', 'globex');
    await world.mark('acme', 'gpt-4', 1);
    await world.mark('acme', 'gpt-3', 3);
    const later = [await world.mark('acme', 'gpt-4', 0), await world.mark('globex', 'gpt-4', -1)];

    expect(await world.invoke()).toEqual({ sealed: 2, failed: 0, isDone: true });

    expect(world.events).toEqual(['resource/gpt-3', 'resource/gpt-4']);
    for (const period of later) expect(await world.isSealed(period)).toBe(false);
    expect(world.marks).toBe(2);
    expect(world.metrics.rounds).toEqual([{ periodsSealed: 2, periodsFailed: 0, isCutShort: false, durationMs: 0 }]);

    world.nowMs += 2 * DAY_MS;
    expect(await world.invoke()).toEqual({ sealed: 2, failed: 0, isDone: true });
    for (const period of later) expect(await world.isSealed(period)).toBe(true);
    expect(await world.invoke()).toEqual({ sealed: 0, failed: 0, isDone: true });
  });

  it('waits for late records as long as it is told', async () => {
    const world = await new SealWorld().register('acme');
    await world.mark('acme', 'gpt-4', 1);

    expect(await world.invoke({ lateMs: 2 * DAY_MS })).toMatchObject({ sealed: 0 });
    expect(await world.invoke({ lateMs: DAY_MS })).toMatchObject({ sealed: 1 });
  });

  it('does so many and no more; the next one goes on where it ended, until all are done', async () => {
    const world = await markedWorld();
    const answers = [];
    while (world.marks > 0) answers.push(await world.invoke({ maxPeriods: 2 }));

    expect(answers).toEqual([
      { sealed: 2, failed: 0, isDone: false },
      { sealed: 2, failed: 0, isDone: false },
      { sealed: 1, failed: 0, isDone: true },
    ]);
    expect(world.events).toHaveLength(5);
    expect(world.metrics.rounds.map(({ isCutShort }) => isCutShort)).toEqual([true, true, false]);
    expect((await world.table.get([{ partition: '_/seals', sort: 'cursor' }]))[0]).toBeUndefined();
  });

  it('comes to every namespace, though in the first one more comes due each day than it can seal', async () => {
    const world = await new SealWorld().register('acme', 'globex');
    const waiting = await world.mark('globex', 'gpt-4', 1);
    const answers = [];
    for (let day = 0; day < 6; day += 1, world.nowMs += DAY_MS) {
      for (const resource of ['a1', 'a2', 'a3']) await world.mark('acme', resource, 1 - day);
      answers.push(await world.invoke({ maxPeriods: 2 }));
    }

    expect(await world.isSealed(waiting)).toBe(true);
    // What is left is said, each time.
    expect(answers.map(({ sealed, isDone }) => ({ sealed, isDone }))).toEqual(answers.map(() => ({ sealed: 2, isDone: false })));
    expect(await world.invoke()).toEqual({ sealed: 7, failed: 0, isDone: true });
  });

  it('goes on with what has come due since, once a turn that earlier rounds began is at its end', async () => {
    const world = await markedWorld();
    await world.invoke({ maxPeriods: 4 });
    const [later] = [await world.mark('acme', 'gpt-4', 0)];
    world.nowMs += DAY_MS;

    expect(await world.invoke()).toEqual({ sealed: 2, failed: 0, isDone: true });
    expect(await world.isSealed(later)).toBe(true);
  });

  it('begins nothing that there is no time for, and is gone on with', async () => {
    const world = await markedWorld();
    // A page, and of each of three periods whether to begin, whether it is sealed, eight names in the index, the seal and the mark.
    let remainingMs = 5_000 + (1 + 3 * 12 + 1) * 500;
    const context = { getRemainingTimeInMillis: () => (remainingMs -= 500) };

    expect(await world.invoke({ reserveMs: 5_000 }, { getRemainingTimeInMillis: () => 5_000 })).toEqual({
      sealed: 0,
      failed: 0,
      isDone: false,
    });
    const { sealed, isDone } = await world.invoke({ reserveMs: 5_000 }, context);
    expect({ sealed, isDone }).toEqual({ sealed: 3, isDone: false });
    expect(await world.invoke()).toEqual({ sealed: 2, failed: 0, isDone: true });
  });

  it('sends nothing more but its place once there is no time, wherever that is, and the next one finishes it', async () => {
    const counting = await markedWorld();
    const probe = new CrashingTable(counting.table);
    await counting.invoke({}, CONTEXT, probe);
    for (let budget = 0; budget <= probe.requests; budget += 1) {
      const world = await markedWorld();
      const items = new CrashingTable(world.table);
      const getRemainingTimeInMillis = (): number => (items.requests < budget ? 60_000 : 5_000);

      const { isDone } = await world.invoke({}, { getRemainingTimeInMillis }, items);
      expect({ budget, isDone }).toEqual({ budget, isDone: budget === probe.requests });
      // The first one, where the last round ended, tells whether there is anything to do.
      expect(items.requests).toBeLessThanOrEqual(Math.max(budget, 2) + 1);

      // What failed for want of time is behind the place, and comes when the turn is over.
      for (let round = 0; world.marks > 0 && round < 3; round += 1) await world.invoke();
      expect([...world.events].sort()).toEqual(['a1', 'a2', 'a3', 'i1', 'i2'].map((resource) => `resource/${resource}`));
      expect(world.marks).toBe(0);
    }
  });

  it('tells what it cannot seal, and lets it keep nobody else waiting', async () => {
    const world = await markedWorld();
    const PK = `${world.ids.get('acme')}/open`;
    await world.table.transact([{ kind: 'put', item: { PK, SK: '2027-01-01T00:00:00Z/year/what', v: 1 } }]);

    const answers = [];
    for (let round = 0; round < 7; round += 1) answers.push(await world.invoke({ maxPeriods: 1 }));

    expect(answers.slice(0, 6).map(({ sealed, failed }) => sealed - failed)).toEqual([-1, 1, 1, 1, 1, 1]);
    expect(answers[6]).toEqual({ sealed: 0, failed: 1, isDone: true });
    expect(world.metrics.troubles[0]).toMatchObject({ what: 'seal', message: expect.stringContaining('marks no period') });
    expect(world.marks).toBe(1);
  });

  it('that dies at any request, before or after it was carried out, leaves nothing that the next one does not finish, and no second seal', async () => {
    const counting = await markedWorld();
    const probe = new CrashingTable(counting.table);
    await counting.invoke({}, CONTEXT, probe);
    expect(probe.requests).toBeGreaterThan(15);

    for (let at = 1; at <= probe.requests; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const world = await markedWorld();
        await world.invoke({ maxPeriods: 4 }, CONTEXT, new CrashingTable(world.table, { at, when })).catch(() => undefined);
        for (let round = 0; world.marks > 0 && round < 4; round += 1) await world.invoke();

        expect({ at, when, marks: world.marks, events: [...world.events].sort() }).toEqual({
          at,
          when,
          marks: 0,
          events: ['a1', 'a2', 'a3', 'i1', 'i2'].map((resource) => `resource/${resource}`),
        });
      }
    }
  });

  it('beside another one writes each seal once', async () => {
    const world = await markedWorld();

    await Promise.all([world.invoke(), world.invoke(), world.invoke()]);

    expect(world.marks).toBe(0);
    expect([...world.events].sort()).toEqual(['a1', 'a2', 'a3', 'i1', 'i2'].map((resource) => `resource/${resource}`));
  });

  it('leaves a deleted namespace alone until it is there again', async () => {
    const world = await markedWorld();
    const namespaces = new Namespaces(world.parts());
    await namespaces.delete('acme');

    expect(await world.invoke()).toMatchObject({ sealed: 2, isDone: true });
    await namespaces.recover('acme');
    expect(await world.invoke()).toMatchObject({ sealed: 3, isDone: true });
  });

  it.each([{ Records: [] }, { source: 'aws.events' }, { source: 'aws.s3', 'detail-type': 'Scheduled Event' }, null, 'now'])(
    'is not begun by %j',
    async (event) => {
      const world = await markedWorld();
      const sealer = makeSealer({ administration: world.parts(), metrics: world.metrics });

      await expect(sealer(event, CONTEXT)).rejects.toThrow('the event must be a "Scheduled Event"');
      expect(world.marks).toBe(5);
    },
  );

  it.each([{ lateMs: -1 }, { maxPeriods: 0 }, { reserveMs: 0.5 }, { most: 1 }])('refuses %j', (options) => {
    const { table, metrics } = { table: new SealWorld(), metrics: new NotedMetrics() };

    expect(() => makeSealer({ administration: table.parts(), metrics, options: options as SealerOptions })).toThrow();
  });
});
