import { describe, expect, it } from 'vitest';
import { compareRuns, comparisonMarkdown, renderComparison, summaryOf } from './compare.js';
import type { Report } from './report.js';

function report(runtime: string, { users = 10, p50 = 20, count = 1_000, cpu = 50 as number | null, more = {} } = {}): Report {
  return {
    scenario: 'simple',
    question: 'What?',
    settings: {
      scenario: 'simple',
      mode: 'direct',
      run: `simple-${runtime}`,
      table: 't',
      namespace: 'default',
      endpoint: 'http://127.0.0.1:8000',
      region: 'us-east-1',
      users,
      durationMs: 60_000,
      cascade: false,
      callers: 1,
      requestTimeoutMs: 1_000,
    },
    runtime,
    startedAt: '2026-01-01T00:00:00.000Z',
    outcome: 'passed',
    figures: {
      durationMs: 10_000,
      series: {
        acquire: { count, avg: p50, min: 1, p50, p95: 2 * p50, p99: 3 * p50, max: 4 * p50 },
        rate_limited: { count: 500, avg: 1, min: 1, p50: 1, p95: 1, p99: 1, max: 1 },
      },
      counts: { write_units: 1_000, refused_writes: 500 },
      rates: { limiter_errors: { rate: 0.001, trues: 1, count: 1_000 }, limiter_refused: { rate: 1 / 3, trues: 500, count: 1_500 } },
    },
    judgements: [],
    notes: [],
    ...(cpu === null ? {} : { usage: { cpuPercent: cpu, peakMb: 60 } }),
    ...more,
  };
}

function compared(...reports: readonly Report[]) {
  return compareRuns(
    reports.map((each) => summaryOf(each.settings.run, each)),
    reports,
  );
}

describe('runs side by side', () => {
  it('are summed up by rate, percentiles, shares, what an acquire writes, and CPU', () => {
    expect(summaryOf('a', report('lambda'))).toMatchObject({
      acquires: 1_500,
      perSecond: 150,
      p50: 20,
      p95: 40,
      p99: 60,
      errors: 0.001,
      refused: 1 / 3,
      writeUnits: 1,
      cpuPercent: 50,
    });
  });

  it('differ from the first: by shares of it, and in points where both are shares already', () => {
    const { differences } = compared(report('lambda'), report('fargate', { p50: 15, count: 2_500, cpu: 80 }));

    expect(differences).toEqual([
      { run: 'simple-fargate', perSecond: 1, p50: -0.25, p95: -0.25, p99: -0.25, errors: 0, refused: 0, writeUnits: -0.5, cpuPercent: 30 },
    ]);
  });

  it('say nothing where nothing was measured', () => {
    const nothing = report('fargate', { cpu: null, more: { figures: { durationMs: 10_000, series: {}, counts: {}, rates: {} } } });
    const comparison = compared(report('lambda'), nothing);

    expect(comparison.runs[1]).toMatchObject({ acquires: 0, perSecond: 0, p50: undefined });
    expect(comparison.differences[0]).toMatchObject({ p50: null, cpuPercent: null, perSecond: -1 });
    expect(renderComparison(comparison)).toMatch(/fargate +10 +0 +0 +– +– +– +0 +0 +0 +–/);
  });

  it('are told apart by name where two were made at one place, and warn of what else differs and of what did not pass', () => {
    const other = report('lambda', { users: 20, more: { outcome: 'partial' } });
    const comparison = compared(report('lambda'), { ...other, settings: { ...other.settings, run: 'simple-2' } });

    expect(renderComparison(comparison)).toContain('lambda simple-2');
    expect(comparison.notes).toEqual(['the runs differ in users: 10, 20', 'simple-2: partial']);
  });

  it('are tables of markdown for a guide', () => {
    const text = comparisonMarkdown(compared(report('lambda'), report('distributed'), report('fargate')));

    expect(text).toContain('| runtime | users | acquires | per second | p50 ms | p95 ms | p99 ms | errors | refused | write units | CPU |');
    expect(text).toContain('| lambda | 10 | 1,500 | 150 | 20 | 40 | 60 | 0.10 % | 33.3 % | 1 | 50 % |');
    expect(text).toContain('| against lambda | per second |');
    expect(text.match(/^\| fargate \|/gm)).toHaveLength(2);
  });
});
