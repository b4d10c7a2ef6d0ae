import { FEW_ERRORS } from './bounds.js';
import { partOf } from './part.js';
import type { Scenario } from './scenario.js';
import { TREND_STATS } from './series.js';
import type { RunSettings } from './settings.js';
import { k6Scenario } from './shapes.js';
import { k6Thresholds, type Threshold } from './thresholds.js';

/** What k6 notes with each sample. Each tag costs CPU, and what is looked at has names of its own. */
export const SYSTEM_TAGS = ['name', 'status', 'error_code'] as const;

/** All that a run is judged by. */
export function thresholdsOf(scenario: Scenario, settings: RunSettings): readonly Threshold[] {
  return [FEW_ERRORS, ...scenario.thresholds(settings)];
}

/** What k6 is told about a run: `options`. */
export function k6Options(scenario: Scenario, settings: RunSettings) {
  const whole = scenario.arrival(settings);
  const arrival = settings.part === undefined ? whole : partOf(whole, settings.part);
  return {
    scenarios: { [scenario.name.replaceAll('-', '_')]: k6Scenario(arrival) },
    thresholds: k6Thresholds(thresholdsOf(scenario, settings)),
    ...(settings.cloud === undefined ? {} : { cloud: settings.cloud }),
    summaryTrendStats: [...TREND_STATS],
    systemTags: [...SYSTEM_TAGS],
    noVUConnectionReuse: false,
    // A limiter is no browser: it keeps no cookies, and follows no redirects.
    noCookiesReset: true,
    maxRedirects: 0,
    userAgent: 'millrace-load',
  };
}
