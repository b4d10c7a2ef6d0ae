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
    ...connectionOptions(settings),
    // A limiter is no browser: it keeps no cookies, and follows no redirects.
    noCookiesReset: true,
    maxRedirects: 0,
    userAgent: 'millrace-load',
  };
}

/** As a service has: users whose callers make more requests at once than connections are kept would make a new one for each. */
const CONNECTIONS = 256;

/**
 * How many idle connections a user keeps. k6 opens as many as there are requests at once and has no bound on that; what it
 * keeps of them it takes from its options of batches, and by itself that is 20, and 6 to one host.
 */
function connectionOptions({ mode, connections = CONNECTIONS }: RunSettings) {
  // Where turns go through a Node service, the number is that of its connections.
  const kept = mode === 'gateway' ? CONNECTIONS : connections;
  return kept === 0 ? { noConnectionReuse: true } : { batch: kept, batchPerHost: kept };
}
