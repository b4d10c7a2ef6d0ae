import { Limit } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { dashboardOf } from './dashboard.js';
import * as series from './series.js';

const { tabs } = dashboardOf('simple', { api: [Limit.perSecond('rps-1', 1), Limit.perMinute('tpm', 1)] });
const panels = tabs.flatMap(({ sections }) => sections.flatMap((section) => section.panels));
const charts = panels.filter(({ kind }) => kind !== 'summary').flatMap((panel) => panel.series.map(({ query }) => query));

describe('the dashboard of a run', () => {
  it('begins with the limiter: latencies, admitted and rejected per second, errors, write units per acquire', () => {
    expect(tabs[0]?.title).toBe('Limiter');
    const own = JSON.stringify(tabs[0]);
    for (const query of [
      'acquire[?!tags && p95]',
      'commit[?!tags && p95]',
      'rate_limited[?!tags && p95]',
      'admitted[?!tags && rate]',
      'rejected[?!tags && rate]',
      'limiter_errors[?!tags && rate]',
      'write_units_per_acquire[?!tags && avg]',
      'taken_rps_1[?!tags && rate]',
    ]) {
      expect(own).toContain(query);
    }
  });

  it('draws only what runs measure', () => {
    const { SERIES, COST_COUNTERS, TOKEN_KINDS, tokenCounter } = series;
    const tokens = ['rps-1', 'tpm'].flatMap((limit) => TOKEN_KINDS.map((kind) => tokenCounter(kind, limit)));
    const ofK6 = ['http_req_duration', 'vus', 'dropped_iterations'];
    const { ADMITTED_COUNTER, REJECTED_COUNTER, UNITS_TREND, ERRORS_RATE, REFUSED_RATE, TURNS_ENDED } = series;
    const own = [ADMITTED_COUNTER, REJECTED_COUNTER, UNITS_TREND, ERRORS_RATE, REFUSED_RATE, TURNS_ENDED];
    const known: readonly string[] = [...SERIES, ...COST_COUNTERS, ...tokens, ...own, ...ofK6];

    for (const query of charts) expect(known).toContain(query.split('[')[0]);
  });

  it('gives each place an id of its own, and k6 aggregates that it has', () => {
    const ids = [...tabs, ...tabs.flatMap(({ sections }) => sections), ...panels].map(({ id }) => id);

    expect(new Set(ids).size).toBe(ids.length);
    for (const query of charts) expect(query).toMatch(/^[a-z0-9_]+\[\?!tags && (?:rate|avg|med|p95|p99|value)\]$/);
  });
});
