import type { LimiterStats, WindowType } from '@millrace/limiter';
import { describe, expect, it } from 'vitest';
import { Ledger } from './ledger.js';
import type { LedgerBooks } from './ledger-books.js';
import { keysUnder, MEMBERS } from './organisation.js';
import { type Observations, reportOn } from './report.js';
import type { Books } from './table-books.js';
import { Tally } from './tally.js';

const IDLE: LimiterStats = {
  acquires: 0,
  admitted: 0,
  rejected: 0,
  waits: 0,
  localRejections: 0,
  shadowRejections: 0,
  prefetched: 0,
  returned: 0,
  degraded: 0,
  requests: {},
  readUnits: 0,
  writeUnits: 0,
  refusedWrites: 0,
  branchMisses: 0,
  retries: 0,
  lostReplies: 0,
  spins: 0,
  recoveredReplies: 0,
  layoutMisses: 0,
  splits: 0,
  merges: 0,
  hedges: 0,
  hedgesWon: 0,
  staleConfigurations: 0,
};

/** One call of `search-query`: 100 tokens reserved, 90 used, in a run of a minute. */
function oneCall(changes: Partial<Observations> = {}): Observations {
  const [tally, ledger] = [new Tally(), new Ledger()];
  Object.assign(tally.of('search-query'), { answered: 1, tokensUsed: 90, longestWaitMs: 1_250 });
  ledger.note('reservation', 'search-query', { rpm: 1, tpm: 100 }, 0, 5);
  ledger.note('credit', 'search-query', { tpm: 10 }, 50, 55);
  return {
    elapsedMs: 60_000,
    tally,
    ledger,
    leases: { adjusted: 1, gaveBack: 0, tokensGivenBack: 0 },
    books: booksOf({ rpm: 1, tpm: 90 }),
    ledgerBooks: ledgerOf({ rpm: 1, tpm: 90 }),
    aggregator: { batches: 1, bucketWrites: 6, windowsWritten: 12, longestLagMs: 900, givenUp: 0 },
    statsBefore: { ...IDLE, acquires: 2, requests: { GetItem: 1 } },
    statsAfter: { ...IDLE, acquires: 4, writeUnits: 6, refusedWrites: 1, branchMisses: 1, requests: { GetItem: 1, UpdateItem: 10 } },
    ...changes,
  };
}

/** What the table holds of `search-query` and those above it. */
function booksOf(net: Readonly<Record<string, number>>): Books {
  const above = MEMBERS.filter(({ id }) => keysUnder(id).includes('search-query'));
  return new Map(above.map(({ id }) => [id, new Map(Object.entries(net))]));
}

/** What the ledger holds of `search-query` and those above it: the same in windows of each type, but for what `apart` says. */
function ledgerOf(net: Readonly<Record<string, number>>, apart: Partial<Record<WindowType, number>> = {}): LedgerBooks {
  const inTypes = (tokens: number) => ({ hour: tokens, day: tokens, week: tokens, month: tokens, ...apart });
  const limits = new Map(Object.entries(net).map(([limit, tokens]) => [limit, inTypes(tokens)]));
  return new Map([...booksOf(net).keys()].map((entity) => [entity, limits]));
}

describe('reporting', () => {
  it('counts a call at its key and at all above it, and nowhere else', () => {
    const { entities } = reportOn(oneCall());

    const users = entities.filter(({ answered }) => answered === 1);
    expect(users.map(({ id, depth, longestWaitMs }) => [id, depth, longestWaitMs])).toEqual([
      ['acme', 0, 1_250],
      ['search', 1, 1_250],
      ['search-query', 2, 1_250],
    ]);
    expect(users.map(({ limits }) => limits.map(({ limit, used, inTable }) => [limit, used, inTable]))).toEqual(
      users.map(() => [
        ['rpm', 1, 1],
        ['tpm', 90, 90],
      ]),
    );
  });

  it('bounds a limit by its capacity and what came back in the time', () => {
    const [{ limits } = { limits: [] }] = reportOn(oneCall()).entities;

    expect(limits.map(({ capacity, perMinute, bound }) => bound - capacity - perMinute)).toEqual([0, 0]);
  });

  it('blames for a 429 those whose limits stood in the way', () => {
    const { tally } = oneCall();
    tally.refusal(true, [
      { entity: 'search', limit: 'tpm' },
      { entity: 'search', limit: 'rpm' },
    ]);
    tally.refusal(false, [{ entity: 'acme', limit: 'tpm' }]);

    const { entities, refused } = reportOn(oneCall({ tally }));

    expect(refused).toMatchObject({ answers: 2, withRetryAfter: 1 });
    expect(
      entities.filter(({ refusedHere }) => refusedHere > 0).map(({ id, refusedHere, exhausted }) => [id, refusedHere, exhausted]),
    ).toEqual([
      ['acme', 1, ['tpm']],
      ['search', 1, ['rpm', 'tpm']],
    ]);
  });

  it('divides what the run itself cost by its acquires, with and without settling', () => {
    expect(reportOn(oneCall()).cost).toMatchObject({
      acquires: 2,
      requests: { UpdateItem: 10 },
      settlingWrites: 3,
      requestsPerAcquire: 5,
      writesPerAcquire: 5,
      acquireWritesPerAcquire: 3.5,
      billedUnitsPerAcquire: 3.5,
    });
  });

  it('is well when nothing went beyond a bound and the table agrees', () => {
    expect(reportOn(oneCall())).toMatchObject({ ok: true, beyondTokens: 0, tableAgrees: true });
  });

  it('is not well when more was admitted than a bound allows', () => {
    const { ledger } = oneCall();
    ledger.note('reservation', 'search-query', { tpm: 1_000_000 }, 60, 65);

    const report = reportOn(oneCall({ ledger }));

    expect(report.ok).toBe(false);
    expect(report.beyondTokens).toBeGreaterThan(900_000);
  });

  it('is not well when the table disagrees, unless a reply was lost that explains it', () => {
    const books = booksOf({ rpm: 1, tpm: 91 });
    const ledgerBooks = ledgerOf({ rpm: 1, tpm: 91 });
    const statsAfter = { ...IDLE, acquires: 4, lostReplies: 1 };

    expect(reportOn(oneCall({ books, ledgerBooks }))).toMatchObject({ ok: false, tableAgrees: false });
    expect(reportOn(oneCall({ books, ledgerBooks, statsAfter }))).toMatchObject({ ok: true, tableAgrees: false });
  });

  it('is not well when windows of any one type say another count than the table, whatever was lost', () => {
    const statsAfter = { ...IDLE, acquires: 4, lostReplies: 1 };

    expect(reportOn(oneCall())).toMatchObject({ ok: true, ledgerAgrees: true });
    for (const type of ['hour', 'day', 'week', 'month'] as const) {
      const ledgerBooks = ledgerOf({ rpm: 1, tpm: 90 }, { [type]: 89 });
      expect(reportOn(oneCall({ ledgerBooks, statsAfter }))).toMatchObject({ ok: false, tableAgrees: true, ledgerAgrees: false });
    }
    expect(reportOn(oneCall({ ledgerBooks: new Map() }))).toMatchObject({ ok: false, ledgerAgrees: false });
  });

  it('is not well when nothing was answered at all', () => {
    expect(reportOn(oneCall({ tally: new Tally(), ledger: new Ledger(), books: new Map(), ledgerBooks: new Map() })).ok).toBe(false);
  });
});
