import { describe, expect, it } from 'vitest';
import type { SideName } from './cell.js';
import { changesOf, runsInRound, sharesOf } from './changes.js';
import { scenarioOf } from './scenarios.js';
import { checkTotals, trueBalances, trueWindows, utcStartMs, WrongTotals } from './totals.js';

const DAY_MS = Date.UTC(2026, 10, 1);
const shares = [
  {
    namespaceId: 'n',
    changes: [
      { key: 'a', atMs: DAY_MS + 1, tokens: 5 },
      { key: 'a', atMs: DAY_MS + 3_600_000, tokens: -2 },
      { key: 'b', atMs: DAY_MS + 2, tokens: 7 },
    ],
  },
];

describe('brute force', () => {
  it.each([
    ['hour', '2026-11-01T05:00:00.000Z'],
    ['day', '2026-11-01T00:00:00.000Z'],
    ['week', '2026-10-26T00:00:00.000Z'],
    ['month', '2026-11-01T00:00:00.000Z'],
  ] as const)('knows the %s of a Sunday that begins a month', (type, start) => {
    expect(new Date(utcStartMs(type, DAY_MS + 5.5 * 3_600_000)).toISOString()).toBe(start);
  });

  it('adds what was taken and what was given back, by key and window', () => {
    expect(Object.fromEntries(trueWindows(shares, ['hour', 'day']))).toEqual({
      'n a hour 2026-11-01T00:00:00.000Z taken': 5n,
      'n a hour 2026-11-01T00:00:00.000Z returned': 0n,
      'n a hour 2026-11-01T01:00:00.000Z taken': 0n,
      'n a hour 2026-11-01T01:00:00.000Z returned': 2n,
      'n b hour 2026-11-01T00:00:00.000Z taken': 7n,
      'n b hour 2026-11-01T00:00:00.000Z returned': 0n,
      'n a day 2026-11-01T00:00:00.000Z taken': 5n,
      'n a day 2026-11-01T00:00:00.000Z returned': 2n,
      'n b day 2026-11-01T00:00:00.000Z taken': 7n,
      'n b day 2026-11-01T00:00:00.000Z returned': 0n,
    });
  });

  it('adds balances by key, and sums and counts of all keys by period', () => {
    expect(Object.fromEntries(trueBalances(shares, ['day']))).toEqual({
      'n a balance': 3n,
      'n b balance': 7n,
      'n all day 2026-11-01T00:00:00.000Z sum': 10n,
      'n all day 2026-11-01T00:00:00.000Z count': 3n,
    });
  });
});

describe('the check of totals', () => {
  const expected = new Map([
    ['a', 1n],
    ['b', 2n],
  ]);

  it('says nothing where all are as they must be', () => {
    expect(() => checkTotals('ours', expected, new Map(expected))).not.toThrow();
  });

  it.each([
    ['one that differs', new Map([...expected, ['b', 3n]]), 'b: expected 2, got 3'],
    ['one that lacks', new Map([['a', 1n]]), 'b: expected 2, got none'],
    ['one too many', new Map([...expected, ['c', 0n]]), 'c: expected none, got 0'],
  ] as const)('tells of %s', (_, found, told) => {
    expect(() => checkTotals('ours', expected, found)).toThrow(WrongTotals);
    expect(() => checkTotals('ours', expected, found)).toThrow(told);
  });
});

describe('the changes of a shape', () => {
  it('are the same for the same seed, and others for another', () => {
    const shape = scenarioOf('pipeline-10-keys');

    expect(changesOf(shape, DAY_MS, 1)).toEqual(changesOf(shape, DAY_MS, 1));
    expect(changesOf(shape, DAY_MS, 1)).not.toEqual(changesOf(shape, DAY_MS, 2));
  });

  it('touch every hour of a day and every key, and give something back', () => {
    const changes = changesOf(scenarioOf('pipeline-10-keys'), DAY_MS, 1);

    expect(new Set(changes.map(({ atMs }) => utcStartMs('hour', atMs))).size).toBe(24);
    expect(new Set(changes.map(({ key }) => key)).size).toBe(10);
    expect(changes.filter(({ tokens }) => tokens < 0).length).toBeGreaterThan(50);
    expect(changes.slice(0, 10).every(({ tokens }) => tokens > 0)).toBe(true);
  });

  it('are warmed up with the same shape, until the code is compiled', () => {
    const { warmup, measured } = sharesOf(scenarioOf('folded-500'), DAY_MS, 2);

    expect([warmup, measured].map((shares) => shares.map(({ changes }) => changes.length))).toEqual([
      [500, 500, 500],
      [500, 500],
    ]);
    expect(new Set([...warmup, ...measured].map(({ namespaceId }) => namespaceId)).size).toBe(5);
  });

  it('are measured more often where they are soon done, and once where they are long in sequence', () => {
    const often = (name: string, side: SideName, concurrency: number, round = 0) =>
      runsInRound(scenarioOf(name), { side, concurrency }, round);

    expect([often('roll-ups', 'plugin', 50), often('roll-ups', 'millrace', 50)]).toEqual([3, 3]);
    expect([often('pipeline', 'plugin', 50), often('pipeline', 'millrace', 50)]).toEqual([1, 1]);
    expect(often('roll-ups', 'plugin', 1, 2)).toBe(1);
    expect([0, 1, 2].map((round) => often('pipeline', 'plugin', 1, round))).toEqual([1, 0, 0]);
  });
});
