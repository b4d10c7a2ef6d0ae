import { LIMITER_METRICS, type MetricDefinition } from '@millrace/core';
import { Duration } from 'aws-cdk-lib';
import { type IWidget, MathExpression, type Metric, SingleValueWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { UnitPrices } from '../alarms/unit-prices.js';
import type { WatchedMetrics } from '../alarms/watched-metrics.js';
import { COLORS, graph } from './widgets.js';

const PERIOD = Duration.minutes(5);
const HOUR = Duration.hours(1);
const SUMS = { period: PERIOD, statistic: Stats.SUM };

/** A count as a rate, whatever period the console chooses. */
function perSecond(metric: Metric, id: string, label: string, color?: string): MathExpression {
  return new MathExpression({ expression: `${id} / PERIOD(${id})`, usingMetrics: { [id]: metric }, label, color, period: PERIOD });
}

/** A part of a whole in percent; what is missing counts as zero. */
function share(part: Metric, others: Metric, label: string): MathExpression {
  return new MathExpression({
    expression: '100 * FILL(part, 0) / (FILL(part, 0) + FILL(others, 0))',
    usingMetrics: { part, others },
    label,
    period: PERIOD,
  });
}

/** What the services that acquire report: empty until one does. */
export class CallerWidgets {
  private readonly metrics: WatchedMetrics;

  constructor(metrics: WatchedMetrics) {
    this.metrics = metrics;
  }

  /** The figures that a glance is for. */
  glance(prices: UnitPrices): IWidget[] {
    const { admitted, rejected, acquireLatency } = LIMITER_METRICS;
    const latency = this.metrics.own(acquireLatency, { period: PERIOD, statistic: Stats.percentile(99), label: 'p99, ms' });
    const values = [
      { title: 'Admitted a second', metric: perSecond(this.sum(admitted), 'admitted', 'admitted') },
      { title: 'Rejected, percent', metric: share(this.sum(rejected), this.sum(admitted), 'rejected') },
      { title: 'Latency, p99', metric: latency },
      { title: 'Dollars an hour, for units', metric: this.metrics.cost(prices, PERIOD, HOUR, 'dollars an hour') },
      { title: 'Limits found in the cache, percent', metric: this.cacheHits() },
      { title: 'Acquires without an answer', metric: this.unanswered() },
    ];
    return values.map(({ title, metric }) => new SingleValueWidget({ title, metrics: [metric], width: 4, height: 3, sparkline: true }));
  }

  /** Who asked, and what he got. */
  traffic(): IWidget[] {
    const { admitted, rejected, locallyRejected } = LIMITER_METRICS;
    const decisions = [
      perSecond(this.sum(admitted), 'admitted', 'admitted', COLORS.good),
      perSecond(this.sum(rejected), 'rejected', 'rejected', COLORS.refused),
      perSecond(this.sum(locallyRejected), 'local', 'of them without a request', COLORS.read),
    ];
    return [
      graph('Admitted and rejected', 'acquires a second', decisions, { columns: 8 }),
      graph('Admitted, by resource', 'acquires in a period', [this.metrics.byResource(admitted, SUMS)], { columns: 8, stacked: true }),
      graph('Rejected, by resource', 'acquires in a period', [this.metrics.byResource(rejected, SUMS)], { columns: 8, stacked: true }),
    ];
  }

  /** How long it took, and what it took. */
  work(): IWidget[] {
    const { acquireLatency, requests, contended, retries, lostReplies } = LIMITER_METRICS;
    const percentiles = [50, 95, 99].map((percent) =>
      this.metrics.own(acquireLatency, { period: PERIOD, statistic: Stats.percentile(percent), label: `p${percent}` }),
    );
    const slowest = this.metrics.byResource(acquireLatency, { period: PERIOD, statistic: Stats.percentile(99) });
    const trouble = [
      perSecond(this.sum(contended), 'contended', 'sent again: wrong guess', COLORS.refused),
      perSecond(this.sum(retries), 'retries', 'sent again: no answer', COLORS.broken),
      perSecond(this.sum(lostReplies), 'lost', 'given up', COLORS.gone),
    ];
    const sent = perSecond(this.sum(requests), 'requests', 'requests', COLORS.read);
    return [
      graph('Latency of an acquire', 'milliseconds', percentiles, { columns: 8 }),
      graph('Latency by resource, p99', 'milliseconds', [slowest], { columns: 8 }),
      graph('Requests to DynamoDB', 'requests a second', [sent, ...trouble], { columns: 8 }),
    ];
  }

  /** What the callers' own processes say of themselves. */
  processes(): IWidget[] {
    const { degraded, unavailable, waited, shadowRejected, clockError, reportFailures } = LIMITER_METRICS;
    const failures = [
      this.sum(degraded, 'let through', COLORS.refused),
      this.sum(unavailable, 'failed', COLORS.broken),
      this.sum(reportFailures, 'reports lost', COLORS.read),
    ];
    const softly = [
      this.sum(waited, 'waited for their turn', COLORS.read),
      this.sum(shadowRejected, 'refused in shadow mode', COLORS.refused),
    ];
    const clock = this.metrics.own(clockError, { period: PERIOD, statistic: Stats.MAXIMUM, label: 'worst clock', color: COLORS.broken });
    const bound = [{ value: 250, label: 'corrected from here on', color: COLORS.refused }];
    return [
      graph('Acquires without an answer', 'acquires in a period', failures, { columns: 6 }),
      graph('Waiting and shadow mode', 'acquires in a period', softly, { columns: 6 }),
      graph('Limits found in the cache', 'percent', [this.cacheHits()], {
        columns: 6,
        leftYAxis: { min: 0, max: 100, label: 'percent', showUnits: false },
      }),
      graph('Clocks against that of DynamoDB', 'milliseconds', [clock], { columns: 6, leftAnnotations: bound }),
    ];
  }

  private cacheHits(): MathExpression {
    return share(this.sum(LIMITER_METRICS.cacheHits), this.sum(LIMITER_METRICS.cacheMisses), 'found');
  }

  private unanswered(): MathExpression {
    return new MathExpression({
      expression: 'FILL(degraded, 0) + FILL(unavailable, 0)',
      usingMetrics: { degraded: this.sum(LIMITER_METRICS.degraded), unavailable: this.sum(LIMITER_METRICS.unavailable) },
      label: 'without an answer',
      period: PERIOD,
    });
  }

  private sum(definition: MetricDefinition, label?: string, color?: string): Metric {
    return this.metrics.own(definition, { ...SUMS, label, color });
  }
}
