import { StoreFailure, uncheckedPeriodKey } from '@millrace/core';
import { CrashingTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { LedgerWorld } from './ledger-world.js';

const LOST = 'acme gap day b rpm 05-12T00:00 7';
const WHOLE = { unchecked: 0, findings: 0, gaps: 0, inFlight: 0 };

/** A round of which so many more questions for the time find some left. */
function timeFor(questions: number): () => number {
  let left = questions;
  return () => {
    left -= 1;
    return left >= 0 ? 60_000 : 0;
  };
}

describe('the round that seals a day', () => {
  it('finds a batch that never came, tells its amount and place, and counts it as a gap', async () => {
    const world = await LedgerWorld.lossy();

    expect(await world.invoke()).toEqual({ sealed: 2, failed: 0, isDone: true });

    expect(world.found).toEqual([LOST]);
    expect(world.metrics.ledgers).toEqual([{ ...WHOLE, checked: 6, findings: 1, gaps: 1 }]);
    expect(world.metrics.found[0]).toMatchObject({
      namespace: 'acme',
      finding: { entity: 'b', resource: 'gpt-4', limit: 'rpm', after: new Date('2027-05-11T00:00:00Z'), used: 7, returned: 0 },
    });
    expect(world.metrics.troubles).toEqual([]);
    expect([await world.isSealed('2027-05-11'), await world.isSealed('2027-05-12')]).toEqual([true, true]);
    expect(world.marks('unchecked')).toEqual([]);
  });

  it('says of a ledger that is whole that nothing is missing, and of nothing that was looked at nothing at all', async () => {
    const world = await new LedgerWorld().register('acme');
    await world.use('2027-05-11T10:00:00Z', 'a', 10);
    await world.use('2027-05-12T10:00:00Z', 'a', 10);

    await world.invoke();
    await world.invoke();

    expect(world.metrics.ledgers).toEqual([{ ...WHOLE, checked: 2 }]);
    expect(world.metrics.rounds).toHaveLength(2);
  });

  it('waits with the check until the day is sealed, and checks no months', async () => {
    const world = await LedgerWorld.lossy();
    world.nowMs = Date.parse('2027-05-12T23:00:00Z');
    expect(await world.invoke()).toMatchObject({ sealed: 0 });
    expect(world.metrics.ledgers).toEqual([]);

    world.later(1);
    expect(await world.invoke()).toMatchObject({ sealed: 1 });
    expect(world.found).toEqual([]);
    world.later(60);
    expect(await world.invoke()).toMatchObject({ sealed: 2 });
    expect(world.found).toEqual([LOST]);
    expect(world.sum('checked')).toBe(6);
  });

  it('reads, marks and says nothing of the ledger where it is turned off', async () => {
    const world = await LedgerWorld.lossy();
    const items = new CrashingTable(world.table);

    expect(await world.invoke({ isOff: true, items })).toEqual({ sealed: 2, failed: 0, isDone: true });

    expect([world.metrics.ledgers, world.metrics.found, world.marks('unchecked'), world.marks('open')]).toEqual([
      [],
      [],
      [],
      ['2027-06-01T00:00:00Z/month/2027-05-01T00:00:00Z/gpt-4'],
    ]);
    // The cursor, the zone, and of each day its seal and its windows; the registry, and the marks; the names of each day in the index.
    const count = (operation: string) => items.operations.filter((other) => other === operation).length;
    expect({ get: count('get'), query: count('query'), indexed: count('indexed') }).toEqual({ get: 6, query: 2, indexed: 16 });
    expect([count('transact'), count('deleteAll')]).toEqual([2, 2]);
    expect(new Set(items.operations)).toEqual(new Set(['get', 'query', 'indexed', 'transact', 'deleteAll']));
  });
});

/** Sixty entities in one day, every tenth of which lacks something within it. */
async function crowded(): Promise<LedgerWorld> {
  const world = await new LedgerWorld().register('acme', 'globex');
  for (let index = 0; index < 60; index += 1) {
    await world.use('2027-05-12T10:00:00Z', `key-${index}`, 1);
    if (index % 10 === 0) world.lose('2027-05-12T11:00:00Z', `key-${index}`, 5);
    await world.use('2027-05-12T12:00:00Z', `key-${index}`, 1);
  }
  await world.use('2027-05-12T10:00:00Z', 'other', 1, 'globex');
  return world;
}

describe('a check that there is not enough time for', () => {
  it('goes on in the next round, wherever it ended, and each gap is told and counted once', async () => {
    const once = await crowded();
    await once.invoke();
    expect(once.sum('gaps')).toBe(6);

    for (const questions of [110, 150, 200]) {
      const world = await crowded();
      const answers = [];
      while (world.marks('open').length > 2 || world.marks('unchecked').length > 0) {
        answers.push(await world.invoke({ remainingMs: timeFor(questions) }));
        if (answers.length > 30) break;
      }

      expect({ questions, isDone: answers.map(({ isDone }) => isDone) }).toEqual({
        questions,
        isDone: answers.map((_, index) => index === answers.length - 1),
      });
      expect(answers.length).toBeGreaterThan(1);
      expect([...world.found].sort()).toEqual([...once.found].sort());
      expect([world.sum('checked'), world.sum('gaps'), world.sum('unchecked')]).toEqual([61, 6, 0]);
      expect(world.metrics.rounds.at(-1)).toMatchObject({ isCutShort: false });
    }
  });

  it('keeps no day from being sealed: that comes first', async () => {
    const world = await LedgerWorld.lossy();

    expect(await world.invoke({ remainingMs: timeFor(27) })).toEqual({ sealed: 2, failed: 0, isDone: false });
    expect(world.metrics.ledgers).toEqual([]);
    expect(world.marks('unchecked')).toHaveLength(2);
    expect(await world.invoke()).toEqual({ sealed: 0, failed: 0, isDone: true });
    expect(world.found).toEqual([LOST]);
  });

  it('comes to every namespace, though in the first one more is sealed each day than can be checked', async () => {
    const world = await new LedgerWorld().register('acme', 'globex');
    const mark = (namespace: string, resource: string, endMs: number): void => {
      const period = { namespaceId: world.ids.get(namespace) ?? '', resource, type: 'day', startMs: endMs - 86_400_000, endMs } as const;
      const { partition: PK, sort: SK } = uncheckedPeriodKey(period);
      world.table.put({ PK, SK, v: 1, turn: 0, tries: 0 });
    };
    const beginMs = Date.parse('2027-05-12T00:00:00Z');
    mark('globex', 'gpt-4', beginMs);
    for (let day = 0; day < 6; day += 1) {
      for (const resource of ['a1', 'a2', 'a3']) mark('acme', resource, beginMs + day * 86_400_000);
      expect(await world.invoke({ options: { maxPeriods: 2 } })).toMatchObject({ isDone: false });
      world.later(1);
    }

    expect(world.marks('unchecked').filter((sort) => sort.endsWith('/gpt-4'))).toEqual([]);
    expect(await world.invoke()).toMatchObject({ isDone: true });
    expect(world.marks('unchecked')).toEqual([]);
  });

  it('takes as many days at a time as are sealed at a time', async () => {
    const world = await LedgerWorld.lossy();

    expect(await world.invoke({ options: { maxPeriods: 1 } })).toEqual({ sealed: 1, failed: 0, isDone: false });
    expect(await world.invoke({ options: { maxPeriods: 1 } })).toMatchObject({ sealed: 1 });
    await world.invoke();
    expect([world.found, world.sum('checked')]).toEqual([[LOST], 6]);
  });
});

describe('a check that something is wrong with', () => {
  /** Lets reads of windows by entity fail, as a table does that is not there. */
  function failing(world: LedgerWorld, isMeant: (partition: string) => boolean): { isBroken: boolean } {
    const state = { isBroken: true };
    const query = world.table.query.bind(world.table);
    world.table.query = async (asked) => {
      if (state.isBroken && isMeant(asked.partition)) throw new StoreFailure('throttled', 'no', 'no answer');
      return query(asked);
    };
    return state;
  }

  it('is trouble, and counted; all is sealed nevertheless, and it is made good once there are answers', async () => {
    const world = await LedgerWorld.lossy();
    const state = failing(world, (partition) => partition.includes('/u/'));

    expect(await world.invoke()).toEqual({ sealed: 2, failed: 0, isDone: true });

    expect(world.metrics.ledgers).toEqual([{ checked: 0, unchecked: 2 }]);
    expect(world.metrics.troubles).toMatchObject([
      { what: 'check', message: expect.stringMatching(/^2027-05-12T00:00:00Z\/day\/.*: no answer$/) },
      { what: 'check', message: expect.stringMatching(/^2027-05-13T00:00:00Z\/day\/.*: no answer$/) },
    ]);
    state.isBroken = false;
    await world.invoke();
    expect([world.found, world.sum('checked')]).toEqual([[LOST], 6]);
  });

  it('for good with one entity passes that over after some rounds, by name, and finds what others lack', async () => {
    const world = await LedgerWorld.lossy();
    failing(world, (partition) => partition.endsWith('/u/a'));

    for (let round = 0; round < 6; round += 1) await world.invoke();

    expect([world.found, world.sum('checked'), world.marks('unchecked')]).toEqual([[LOST], 4, []]);
    expect(world.metrics.troubles.at(-1)?.message).toMatch(/entity "a", is passed over: no answer$/);
    expect(world.sum('unchecked')).toBe(8);
  });

  it('before it has begun is trouble, and the seals are told all the same', async () => {
    const world = await LedgerWorld.lossy();
    failing(world, (partition) => partition.endsWith('/unchecked'));

    expect(await world.invoke()).toEqual({ sealed: 2, failed: 0, isDone: false });
    expect(world.metrics.troubles).toMatchObject([{ what: 'check', message: 'the days to be checked: no answer' }]);
    expect(world.metrics.rounds).toMatchObject([{ periodsSealed: 2 }]);
  });

  it('where a day cannot be marked for it seals the day without', async () => {
    const world = await LedgerWorld.lossy();
    const transact = world.table.transact.bind(world.table);
    world.table.transact = async (writes) => {
      if (writes.some(({ kind }) => kind === 'delete')) throw new StoreFailure('refused', 'no', 'not allowed to DeleteItem');
      return transact(writes);
    };

    expect(await world.invoke()).toEqual({ sealed: 2, failed: 0, isDone: true });
    expect(world.metrics.troubles).toMatchObject([{ what: 'check' }, { what: 'check', message: expect.stringContaining('not allowed') }]);
    expect([world.marks('open').length, world.marks('unchecked').length]).toEqual([1, 0]);
  });

  it('tells a bounded number of lines, and how many more there were', async () => {
    const world = await new LedgerWorld().register('acme');
    for (let index = 0; index < 130; index += 1) {
      await world.use('2027-05-11T10:00:00Z', `key-${index}`, 1);
      world.lose('2027-05-11T22:00:00Z', `key-${index}`, 5);
      await world.use('2027-05-12T12:00:00Z', `key-${index}`, 1);
    }
    await world.invoke();

    expect(world.found).toHaveLength(100);
    expect(world.metrics.troubles.map(({ message }) => message)).toEqual([expect.stringMatching(/^30 more were not told one by one/)]);
    expect(world.metrics.ledgers).toMatchObject([{ checked: 260, gaps: 130 }]);
  });
});

describe('rounds that check', () => {
  it('that die at any request, before or after it was carried out, leave nothing that is not told in the end', async () => {
    const counting = await LedgerWorld.lossy();
    const probe = new CrashingTable(counting.table);
    await counting.invoke({ items: probe });
    expect(probe.requests).toBeGreaterThan(40);

    for (let at = 1; at <= probe.requests; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const world = await LedgerWorld.lossy();
        await world.invoke({ items: new CrashingTable(world.table, { at, when }) }).catch(() => undefined);
        for (let round = 0; round < 3; round += 1) await world.invoke();

        const left = [world.marks('open').length, world.marks('unchecked').length];
        expect({ at, when, left, found: [...new Set(world.found)] }).toEqual({ at, when, left: [1, 0], found: [LOST] });
      }
    }
  });

  it('beside each other tell each finding once', async () => {
    const world = await crowded();

    await Promise.all([world.invoke(), world.invoke(), world.invoke()]);

    expect([world.found.length, world.sum('checked'), world.sum('gaps')]).toEqual([6, 61, 6]);
    expect(world.marks('unchecked')).toEqual([]);
  });
});
