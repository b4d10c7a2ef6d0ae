import { ValidationError } from '@millrace/core';
import type { RateLimiter } from '../rate-limiter.js';
import { observedOf } from './access.js';
import { checkReporting, type ReportMetricsOptions } from './options.js';
import { MetricsReporter } from './reporter.js';

/**
 * Reports what a limiter does, and all limiters of other namespaces that it has opened, each `intervalMs`: decisions by
 * resource with their latency, requests, units, cache and clock. An acquire pays two readings of a clock and a few counters for it.
 *
 * @example
 * const reporter = reportMetrics(limiter, { sink: emfSink() });
 * // … and nothing more: closing the limiter reports the rest
 *
 * @throws ValidationError if an option is wrong, or the limiter is reported already
 */
export function reportMetrics(limiter: RateLimiter, options: ReportMetricsOptions): MetricsReporter {
  const checked = checkReporting(options);
  const observed = observedOf(limiter);
  if (observed.observation.isWatched)
    throw new ValidationError('limiter', 'one that nobody reports yet; one sink can pass reports on to several', limiter);
  return new MetricsReporter(observed, checked);
}
