import { Limit } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { type Book, checkBooks } from './exactness.js';
import type { Ledger } from './ledger.js';
import type { World } from './scenario.js';

const END_MS = 1_800_000_010_000;
const SINCE_MS = END_MS - 10_000;
const world: World = { resources: { api: [Limit.perSecond('rps', 10, { capacity: 50 })] }, own: [], entities: [] };
const family: World = { ...world, entities: [{ id: 'top' }, { id: 'a', parent: 'top' }, { id: 'b', parent: 'top' }] };

const book = (entity: string, net: number, more: Partial<Book> = {}): Book => {
  return { entity, resource: 'api', limit: 'rps', net, debt: 0, sinceMs: SINCE_MS, ...more };
};

function check(
  books: readonly Book[],
  counts: Readonly<Record<string, number>>,
  more: { world?: World; mayOwe?: boolean; ledger?: Ledger } = {},
) {
  const figures = { durationMs: 10_000, series: {}, rates: {}, counts: { turns_begun: 5, turns_ended: 5, ...counts } };
  return checkBooks(books, { world, mayOwe: false, endMs: END_MS, ...more, figures });
}

const failing = (exactness: ReturnType<typeof check>): string[] => exactness.checks.filter(({ ok }) => !ok).map(({ detail }) => detail);

describe('the books of a table', () => {
  it('are exact where a bucket gave its capacity and what flowed, and callers counted that', () => {
    expect(check([book('a', 150)], { taken_rps: 150 })).toMatchObject({ ok: true, buckets: 1 });
    expect(check([book('a', 100), book('b', 50)], { taken_rps: 160, added_rps: 5, returned_rps: 15 })).toMatchObject({
      ok: true,
      buckets: 2,
    });
  });

  it('are not where one bucket gave a token too many, whatever the others did', () => {
    const exactness = check([book('a', 151), book('b', 0)], { taken_rps: 151 });

    expect(exactness.ok).toBe(false);
    expect(failing(exactness)).toEqual(['rps of "a" on "api" gave most: 151 of 150']);
  });

  it('measure a bucket by its own time, and by limits of its own', () => {
    const own = { ...world, own: [{ entity: 'a', resource: 'api', limits: [Limit.perSecond('rps', 1, { capacity: 5 })] }] };

    expect(check([book('a', 60, { sinceMs: END_MS - 1_000 })], { taken_rps: 60 }).ok).toBe(true);
    expect(check([book('a', 61, { sinceMs: END_MS - 1_000 })], { taken_rps: 61 }).ok).toBe(false);
    expect(check([book('a', 16)], { taken_rps: 16 }, { world: own }).ok).toBe(false);
  });

  it('of limits that change are held against the largest capacity and the fastest rate, and against no more', () => {
    const rps = (rate: number, capacity: number) => [Limit.perSecond('rps', rate, { capacity })];
    const later = [
      { resource: 'api', limits: rps(5, 80) },
      { resource: 'api', limits: rps(20, 10) },
      { entity: 'a', resource: 'api', limits: rps(1, 100) },
      { resource: 'other', limits: rps(1_000, 1_000) },
    ];

    expect(check([book('b', 280)], { taken_rps: 280 }, { world: { ...world, later } }).ok).toBe(true);
    expect(check([book('b', 281)], { taken_rps: 281 }, { world: { ...world, later } }).ok).toBe(false);
    expect(check([book('a', 300)], { taken_rps: 300 }, { world: { ...world, later } }).ok).toBe(true);
    expect(check([book('a', 301)], { taken_rps: 301 }, { world: { ...world, later } }).ok).toBe(false);
  });

  it('of an entity with limits of its own do not change with those of the resource', () => {
    const own = [{ entity: 'a', resource: 'api', limits: [Limit.perSecond('rps', 1, { capacity: 5 })] }];
    const later = [{ resource: 'api', limits: [Limit.perSecond('rps', 100)] }];

    expect(check([book('a', 16)], { taken_rps: 16 }, { world: { ...world, own, later } }).ok).toBe(false);
  });

  it('are held against the usage ledger where one was kept', () => {
    const ledger = { books: [book('a', 9)], gaps: 0, unread: 0 };

    expect(check([book('a', 9)], { taken_rps: 9 }, { ledger }).ok).toBe(true);
    expect(failing(check([book('a', 10)], { taken_rps: 10 }, { ledger }))).toEqual([
      'rps of "a" on "api": 9 in the ledger, 10 in the table',
    ]);
  });

  it('are not where a token is in them that nobody counted, or one is missing', () => {
    expect(failing(check([book('a', 11)], { taken_rps: 10 }))).toEqual(['rps: 11 in the table, 10 counted']);
    expect(failing(check([book('a', 9)], { taken_rps: 10 }))).toEqual(['rps: 9 in the table, 10 counted']);
  });

  it('of a bucket that no limit of the plan is about are not', () => {
    expect(check([book('a', 1, { limit: 'tpm' })], {}).ok).toBe(false);
  });

  it('may hold a debt only where adjustments make debts', () => {
    const indebted = [book('a', 170, { debt: 20 })];

    expect(check(indebted, { taken_rps: 100, added_rps: 70 }, { mayOwe: true }).ok).toBe(true);
    expect(check(indebted, { taken_rps: 100, added_rps: 70 }).ok).toBe(false);
  });

  it('may differ by what is in calls without an answer, and by no more', () => {
    expect(check([book('a', 12)], { taken_rps: 10, unknown_rps: 2 }).ok).toBe(true);
    expect(check([book('a', 13)], { taken_rps: 10, unknown_rps: 2 }).ok).toBe(false);
  });

  it('are not held against counts where turns were broken off, but against limits they are', () => {
    expect(check([book('a', 13)], { taken_rps: 10, turns_ended: 4 }).ok).toBe(true);
    expect(check([book('a', 151)], { taken_rps: 151, turns_ended: 4 }).ok).toBe(false);
  });

  it('of a parent say what its children gave, and are counted once', () => {
    const given = [book('a', 30), book('b', 20), book('top', 50)];

    expect(check(given, { taken_rps: 50 }, { world: family }).ok).toBe(true);
    expect(failing(check([book('a', 30), book('b', 20), book('top', 49)], { taken_rps: 50 }, { world: family }))).toHaveLength(1);
  });
});
