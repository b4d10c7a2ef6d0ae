import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../scenarios/index.js';
import { type Figures, figuresOf } from './figures.js';
import { renderMarkdown, renderTerminal } from './render.js';
import { type Findings, OUTCOME_EXIT, reportOf } from './report.js';
import type { Scenario } from './scenario.js';
import type { RunSettings } from './settings.js';

const scenario = SCENARIOS.find(({ name }) => name === 'simple') as Scenario;
const settings: RunSettings = {
  scenario: 'simple',
  mode: 'direct',
  run: 'simple-1',
  table: 'table',
  namespace: 'default',
  endpoint: 'http://127.0.0.1:8000',
  region: 'us-east-1',
  users: 20,
  durationMs: 10_000,
  cascade: true,
  callers: 4,
  requestTimeoutMs: 1_000,
};
const trend = { count: 200, avg: 4, min: 1, 'p(50)': 3.456, 'p(95)': 9, 'p(99)': 10, max: 11 };
const figures: Figures = figuresOf({
  state: { testRunDurationMs: 10_000 },
  metrics: {
    acquire: { type: 'trend', contains: 'time', values: trend },
    commit: { type: 'trend', values: { count: 0 } },
    limiter_errors: { type: 'rate', values: { rate: 0, passes: 0, fails: 200 } },
    limiter_refused: { type: 'rate', values: { rate: 0, passes: 0, fails: 200 } },
    requests: { type: 'counter', values: { count: 300, rate: 30 } },
    vus: { type: 'gauge', values: { value: 20, min: 1, max: 20 } },
  },
});
const exactness = { ok: true, buckets: 1, checks: [{ name: 'the books', ok: true, detail: '200 of 200' }] };
const report = (more: Partial<Findings> = {}) => {
  return reportOf({ scenario, settings, runtime: 'local', startedAtMs: 0, figures, exactness, ...more });
};
const withP95 = (p95: number): Figures => ({ ...figures, series: { acquire: { ...(figures.series['acquire'] ?? never()), p95 } } });

function never(): never {
  throw new Error('there is such a series');
}

describe('a run', () => {
  it.each([
    ['passed', 0, {}],
    ['threshold failed', 99, { figures: withP95(51) }],
    ['not exact', 98, { exactness: { ...exactness, ok: false }, figures: withP95(51) }],
    ['broken', 1, { extent: 'broken' }],
    ['partial', 97, { extent: 'part' }],
    ['partial', 97, { extent: 'part', figures: withP95(51) }],
    ['not exact', 98, { extent: 'part', exactness: { ...exactness, ok: false } }],
    ['partial', 97, { extent: 'part', figures: { ...figures, rates: {} } }],
    ['broken', 1, { figures: { ...figures, rates: {} } }],
    ['threshold failed', 99, { extent: 'broken', figures: withP95(51) }],
  ] as const)('is %s, and the shell hears %d', (outcome, code, more) => {
    expect(report(more).outcome).toBe(outcome);
    expect(OUTCOME_EXIT[report(more).outcome]).toBe(code);
  });
});

describe('the figures of k6', () => {
  it('are read by their kind', () => {
    expect(figures.series['acquire']).toEqual({ count: 200, avg: 4, min: 1, p50: 3.456, p95: 9, p99: 10, max: 11 });
    expect(figures.counts).toEqual({ requests: 300, vus: 20 });
    expect(figures.rates['limiter_errors']).toEqual({ rate: 0, trues: 0, count: 200 });
  });
});

describe('a report', () => {
  it.each([
    ['for a terminal', renderTerminal],
    ['as markdown', renderMarkdown],
  ])('%s shows question, sizes, measured series, verdict, books and cost', (_, render) => {
    const text = render(report({ notes: ['a note'] }));

    for (const part of [
      'nobody refuses',
      '20 users, 10 s, 4 callers each, cascade',
      '3.46',
      '✓',
      'the books: 200 of 200',
      'a note',
      '1.500 requests',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('commit');
  });
});
