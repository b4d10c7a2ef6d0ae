import { FEW_ERRORS } from './bounds.js';
import type { Scenario } from './scenario.js';
import { TREND_STATS } from './series.js';
import type { RunSettings } from './settings.js';
import { k6Scenario } from './shapes.js';
import { k6Thresholds, type Threshold } from './thresholds.js';

/** All that a run is judged by. */
export function thresholdsOf(scenario: Scenario, settings: RunSettings): readonly Threshold[] {
  return [FEW_ERRORS, ...scenario.thresholds(settings)];
}

/** What k6 is told about a run: `options`. */
export function k6Options(scenario: Scenario, settings: RunSettings) {
  return {
    scenarios: { [scenario.name.replaceAll('-', '_')]: k6Scenario(scenario.arrival(settings)) },
    thresholds: k6Thresholds(thresholdsOf(scenario, settings)),
    summaryTrendStats: [...TREND_STATS],
    // Each tag costs CPU with each request, and what is looked at has names of its own.
    systemTags: ['name', 'status', 'error_code'],
    noVUConnectionReuse: false,
    // A limiter is no browser: it keeps no cookies, and follows no redirects.
    noCookiesReset: true,
    maxRedirects: 0,
    userAgent: 'millrace-load',
  };
}
