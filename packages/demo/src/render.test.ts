import { describe, expect, it } from 'vitest';
import { renderReport } from './render.js';
import type { EntityReport, LimitReport, RunReport } from './report.js';
import { PLAIN, styleFor } from './style.js';

function everywhere(tokens: number): LimitReport['inLedger'] {
  return { hour: tokens, day: tokens, week: tokens, month: tokens };
}

function entity(id: string, depth: number, used: number): EntityReport {
  const limit = {
    capacity: 10,
    perMinute: 60,
    used,
    bound: 2_000,
    peakTokens: depth,
    beyondTokens: 0,
    inTable: used,
    inLedger: everywhere(used),
  };
  return {
    id,
    depth,
    answered: used,
    refusedHere: 3,
    exhausted: ['rpm', 'tpm'],
    longestWaitMs: 1_250,
    limits: [
      { ...limit, limit: 'rpm' },
      { ...limit, limit: 'tpm' },
    ],
  };
}

const REPORT: RunReport = {
  ok: true,
  elapsedMs: 20_040,
  calls: { answered: 1_000, failed: 2, gaveUp: 3, cutOff: 4, unexpected: 0 },
  refused: { answers: 7, withRetryAfter: 7, waitedAsTold: 5, cameBackEarly: 1 },
  tokens: { reserved: 1_200, charged: 50, credited: 150, givenBackByFailedCalls: 100, used: 1_000 },
  failedCallsThatGaveBack: 2,
  entities: [entity('acme', 0, 1_000), entity('search', 1, 900)],
  cost: {
    acquires: 10,
    levels: 3,
    requests: { UpdateItem: 40, GetItem: 2 },
    settlingWrites: 6,
    refusedWrites: 1,
    wrongGuesses: 0,
    lostReplies: 0,
    writeUnits: 39,
    requestsPerAcquire: 4.2,
    writesPerAcquire: 4,
    acquireWritesPerAcquire: 3.4,
    billedUnitsPerAcquire: 4,
  },
  beyondTokens: 0,
  tableAgrees: true,
  aggregator: { batches: 4, bucketWrites: 1_900, windowsWritten: 16, longestLagMs: 1_500, givenUp: 0 },
  ledgerAgrees: true,
};

describe('a report for people', () => {
  it('is a tree of entities with what they used of their bounds', () => {
    const lines = renderReport(REPORT, PLAIN).split('\n');

    expect(lines.slice(1, 4)).toEqual([
      '          requests  of bound  tokens  of bound  used  429s  by limit  longest wait',
      'acme         1,000     2,000   1,000     2,000  50 %     3  rpm, tpm         1.3 s',
      '  search       900     2,000     900     2,000  45 %     3  rpm, tpm         1.3 s',
    ]);
  });

  it('accounts for every token between estimate and use', () => {
    expect(renderReport(REPORT, PLAIN)).toContain('  1,200  reserved by estimate');
    expect(renderReport(REPORT, PLAIN)).toContain('−   100  given back by the 2 calls that failed');
    expect(renderReport(REPORT, PLAIN)).toContain('= 1,000  used');
  });

  it('says that the bound held, and who came closest to it', () => {
    expect(renderReport(REPORT, PLAIN)).toContain('✓ 0 tokens admitted beyond the bound');
    expect(renderReport(REPORT, PLAIN)).toContain('(closest: search rpm, 1 of 10 out at once)');
  });

  it('says which counts the table and the clients disagree on', () => {
    const [acme = entity('acme', 0, 0)] = REPORT.entities;
    const limits = acme.limits.map((limit) => (limit.limit === 'tpm' ? { ...limit, inTable: 1_001 } : limit));
    const report: RunReport = { ...REPORT, ok: false, tableAgrees: false, entities: [{ ...acme, limits }] };

    expect(renderReport(report, PLAIN)).toContain(
      '✗ the table and the clients disagree on 1 of 2 counts: acme tpm 1,000 used, 1,001 in the table',
    );
  });

  it("ends with the ledger's chart, bars as long as what each entity used, and with its being equal to what the clients admit to", () => {
    const lines = renderReport(REPORT, PLAIN).trimEnd().split('\n');

    expect(lines.slice(-5)).toEqual([
      'What the usage ledger says: tokens, by hour',
      `acme      1,000  ${'█'.repeat(40)}`,
      `  search    900  ${'█'.repeat(36)}`,
      'booked from 1,900 writes of buckets in 4 batches, by 16 writes, 1.5 s behind at most',
      '✓ the ledger agrees with what the clients admit to, by hour, day, week and month, on all 16 counts, to the token',
    ]);
  });

  it('says on which counts the ledger and the table disagree, and how many records were given up', () => {
    const [acme = entity('acme', 0, 0)] = REPORT.entities;
    const limits = acme.limits.map((limit) =>
      limit.limit === 'tpm' ? { ...limit, inLedger: { ...everywhere(1_000), week: 999 } } : limit,
    );
    const aggregator = { ...REPORT.aggregator, givenUp: 3 };
    const text = renderReport({ ...REPORT, ok: false, ledgerAgrees: false, aggregator, entities: [{ ...acme, limits }] }, PLAIN);

    expect(text).toContain('3 records were given up\n');
    expect(text).toContain(
      '✗ the ledger and the table disagree on 1 of 8 counts, first acme tpm by week: 999 in the ledger, 1,000 in the table',
    );
  });

  it('tells the first answer that nobody expected', () => {
    const report: RunReport = { ...REPORT, calls: { ...REPORT.calls, unexpected: 2 }, firstUnexpected: '503: down (search-query)' };

    expect(renderReport(report, PLAIN)).toContain('2 answers were none of these, the first 503: down (search-query)');
  });

  it('has colours on a terminal only, and not where NO_COLOR is set', () => {
    const sequence = '\u001b[';

    expect(renderReport(REPORT, styleFor({ isTTY: true }, {}))).toContain(sequence);
    expect(renderReport(REPORT, styleFor({ isTTY: true }, { NO_COLOR: '1' }))).not.toContain(sequence);
    expect(renderReport(REPORT, styleFor({ isTTY: true }, { TERM: 'dumb' }))).not.toContain(sequence);
    expect(renderReport(REPORT, styleFor({}, {}))).not.toContain(sequence);
  });
});
