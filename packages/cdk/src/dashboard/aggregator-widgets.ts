import { AGGREGATOR_METRICS, LEDGER_CHECK_METRICS, LEDGER_METRICS, type MetricDefinition, SEALING_METRICS } from '@millrace/core';
import { Duration } from 'aws-cdk-lib';
import { type IWidget, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { WatchedMetrics } from '../alarms/watched-metrics.js';
import type { UsageAggregator } from '../usage-aggregator.js';
import { COLORS, graph, note } from './widgets.js';

const PERIOD = Duration.minutes(5);
/** Rounds of sealing come by the hour; in shorter periods most would be empty. */
const ROUND_PERIOD = Duration.hours(1);
const MILLIS_PER_SEC = 1_000;
/** Looking costs reads, so nobody looks unless told to; an empty graph would look as if all were well. */
const NOBODY_LOOKS =
  'Nobody looks. `thresholdPercent: 80` of the aggregator has it count the entities that used that much of a limit in a window, for a read ' +
  'of each entity and limit in a batch.';

/** How the function behind the stream does. */
export function aggregatorWidgets(aggregator: UsageAggregator, metrics: WatchedMetrics): IWidget[] {
  const { handler, failureQueue } = aggregator;
  const sum = { period: PERIOD, statistic: Stats.SUM };
  const timeoutMs = handler.timeout?.toMilliseconds() ?? 3 * MILLIS_PER_SEC;
  const duration = [
    handler.metricDuration({ period: PERIOD, statistic: Stats.percentile(50), label: 'p50' }),
    handler.metricDuration({ period: PERIOD, statistic: Stats.MAXIMUM, label: 'longest', color: COLORS.refused }),
  ];
  const failures = [
    handler.metricErrors({ ...sum, label: 'errors', color: COLORS.broken }),
    handler.metricThrottles({ ...sum, label: 'not started: too many at once', color: COLORS.refused }),
    metrics.own(AGGREGATOR_METRICS.throttles, { ...sum, label: 'refused by DynamoDB', color: COLORS.write }),
  ];
  const lost = [
    failureQueue.metricApproximateNumberOfMessagesVisible({
      period: PERIOD,
      statistic: Stats.MAXIMUM,
      label: 'given up',
      color: COLORS.broken,
    }),
    metrics.own(AGGREGATOR_METRICS.poison, { ...sum, label: 'unreadable', color: COLORS.refused }),
    metrics.own(AGGREGATOR_METRICS.failed, { ...sum, label: 'to come again', color: COLORS.read }),
  ];
  const limit = [{ value: timeoutMs, label: 'timeout', color: COLORS.broken }];
  return [
    graph('Invocations', 'in a period', [handler.metricInvocations({ ...sum, label: 'invocations', color: COLORS.good })], { columns: 6 }),
    graph('Errors and throttles', 'in a period', failures, { columns: 6 }),
    graph('Duration', 'milliseconds', duration, { columns: 6, leftAnnotations: limit }),
    graph('Records that failed', 'records', lost, { columns: 6 }),
  ];
}

/** Whether the ledger is whole, how late, and whether what is over is sealed. */
export function ledgerWidgets(aggregator: UsageAggregator, metrics: WatchedMetrics): IWidget[] {
  const own = (definition: MetricDefinition, label: string, statistic: string, color?: string): Metric =>
    metrics.own(definition, { period: PERIOD, label, statistic, color });
  const { records, lagMs, nearLimit, windowsWritten, windowsKnown } = AGGREGATOR_METRICS;
  const lag = [
    own(lagMs, 'in the ledger after, p50', Stats.percentile(50), COLORS.good),
    own(lagMs, 'at the latest', Stats.MAXIMUM, COLORS.refused),
    aggregator.metricIteratorAge({ period: PERIOD, label: 'waited in the stream', color: COLORS.read }),
  ];
  const writes = [
    own(records, 'records', Stats.SUM, COLORS.read),
    own(windowsWritten, 'windows written', Stats.SUM, COLORS.good),
    own(windowsKnown, 'known already', Stats.SUM, COLORS.gone),
  ];
  const gaps = [
    metrics.own(LEDGER_METRICS.gaps, { period: PERIOD, statistic: Stats.MAXIMUM, label: 'gaps', color: COLORS.broken }),
    metrics.own(LEDGER_METRICS.findings, { period: PERIOD, statistic: Stats.MAXIMUM, label: 'all findings', color: COLORS.refused }),
    // Where this is above zero, no gaps may mean that nobody could look.
    ...(aggregator.checksLedger ? [own(LEDGER_CHECK_METRICS.unchecked, 'books not checked', Stats.SUM, COLORS.gone)] : []),
  ];
  // With sealing there are six: two rows of three.
  const columns = aggregator.sealRule === undefined ? 6 : 8;
  // An entity that goes on using is in many batches: a sum would count it as often.
  const nearing = [own(nearLimit, 'beyond the threshold', Stats.MAXIMUM, COLORS.refused)];
  return [
    graph('Lag of the ledger', 'milliseconds', lag, { columns }),
    graph('Records and windows', 'in a period', writes, { columns }),
    aggregator.thresholdPercent === undefined
      ? note('Entities near a limit', NOBODY_LOOKS, columns)
      : graph('Entities near a limit', 'entities', nearing, { columns }),
    graph('Gaps in the ledger, as checks found them', 'places', gaps, { columns }),
    ...(aggregator.sealRule === undefined ? [] : sealingWidgets(metrics, columns)),
  ];
}

/** What the alarms on sealing look at, by the hour and not by the day: what they say is days old. */
function sealingWidgets(metrics: WatchedMetrics, columns: number): IWidget[] {
  const { periodsSealed, periodsFailed, isCutShort } = SEALING_METRICS;
  const hourly = (definition: MetricDefinition, label: string, color: string, statistic = Stats.SUM): Metric =>
    metrics.own(definition, { period: ROUND_PERIOD, label, statistic, color });
  const windows = [hourly(periodsSealed, 'sealed', COLORS.good), hourly(periodsFailed, 'could not be sealed', COLORS.broken)];
  const rounds = [
    hourly(isCutShort, 'rounds', COLORS.good, Stats.SAMPLE_COUNT),
    hourly(isCutShort, 'of them without time for all', COLORS.refused),
  ];
  return [
    graph('Sealing of windows that are over', 'windows in an hour', windows, { columns }),
    graph('Rounds of sealing', 'rounds in an hour', rounds, { columns }),
  ];
}
