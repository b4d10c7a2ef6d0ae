import { LEDGER_METRICS, LIMITER_METRICS } from '@millrace/core';
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmPlan } from './alarm-plan.js';
import type { UnitPrices } from './unit-prices.js';
import type { WatchedMetrics } from './watched-metrics.js';

const FIVE_MINUTES = { period: Duration.minutes(5), statistic: Stats.SUM };
/** Below so many decisions in five minutes a share says nothing. */
const MIN_DECISIONS = 100;

/** The alarms on a table, and on what the services that acquire report of it. */
export function tablePlans(metrics: WatchedMetrics, prices: UnitPrices): AlarmPlan[] {
  return [...throttlePlans(metrics), ...callerPlans(metrics), ledgerPlan(metrics), costPlan(metrics, prices)];
}

function throttlePlans(metrics: WatchedMetrics): AlarmPlan[] {
  return [
    {
      name: 'readThrottles',
      heading: 'Read throttles',
      metric: metrics.capacityThrottles('Read', FIVE_MINUTES),
      threshold: 10,
      evaluationPeriods: 2,
      advice:
        'DynamoDB refuses reads: the table or the account may not do more. Acquires wait for their limits. ' +
        'Raise the maximum or the provisioned reads; see whether configTtlMs of the services is very short.',
    },
    {
      name: 'writeThrottles',
      heading: 'Write throttles',
      metric: metrics.capacityThrottles('Write', FIVE_MINUTES),
      threshold: 10,
      evaluationPeriods: 2,
      advice:
        'DynamoDB refuses writes: the table or the account may not do more. Acquires are retried, then fail. ' +
        'Raise the maximum or the provisioned writes, or turn on prefetch for the busiest callers.',
    },
    {
      name: 'keyRangeThrottles',
      heading: 'Key range throttles',
      metric: metrics.keyRangeThrottles(FIVE_MINUTES),
      threshold: 100,
      evaluationPeriods: 3,
      advice:
        'One partition carries no more: one entity on one resource is very busy, and spreading it over more items has not helped. ' +
        'Find it (heaviest entities on the dashboard), and turn on prefetch for its callers.',
    },
  ];
}

function callerPlans(metrics: WatchedMetrics): AlarmPlan[] {
  const { admitted, rejected, degraded, unavailable } = LIMITER_METRICS;
  const decided = '(FILL(admitted, 0) + FILL(rejected, 0))';
  return [
    {
      name: 'rejectedShare',
      heading: 'Rejected share',
      metric: new MathExpression({
        expression: `IF(${decided} >= ${MIN_DECISIONS}, 100 * FILL(rejected, 0) / ${decided}, 0)`,
        usingMetrics: { admitted: metrics.own(admitted, FIVE_MINUTES), rejected: metrics.own(rejected, FIVE_MINUTES) },
        label: 'rejected, percent',
        period: FIVE_MINUTES.period,
      }),
      threshold: 50,
      maxThreshold: 100,
      evaluationPeriods: 3,
      advice:
        'A large part of all acquires is refused. Either somebody asks far more than he may, or a limit is too low. ' +
        'See which resource it is on the dashboard, then `millrace explain` and `millrace usage top`.',
    },
    {
      name: 'unavailable',
      heading: 'Acquires without an answer',
      metric: new MathExpression({
        expression: 'FILL(degraded, 0) + FILL(unavailable, 0)',
        usingMetrics: { degraded: metrics.own(degraded, FIVE_MINUTES), unavailable: metrics.own(unavailable, FIVE_MINUTES) },
        label: 'without an answer',
        period: FIVE_MINUTES.period,
      }),
      threshold: 10,
      evaluationPeriods: 1,
      advice:
        'Acquires got no answer from the table: they failed, or were let through without a limit. ' +
        'Look at throttles first, then at the health of DynamoDB and at the permissions of the services.',
    },
  ];
}

function ledgerPlan(metrics: WatchedMetrics): AlarmPlan {
  return {
    name: 'ledgerGaps',
    heading: 'Ledger gaps',
    // Each day is checked once: in a shorter period the alarm would be over before anybody has looked.
    metric: metrics.own(LEDGER_METRICS.gaps, { period: Duration.days(1), statistic: Stats.MAXIMUM }),
    threshold: 1,
    evaluationPeriods: 1,
    maxEvaluationPeriods: 7,
    advice:
      'Usage was taken that the ledger does not have: records of the stream were lost. Limits hold nevertheless. ' +
      'The log of the aggregator says whose and how much; put failed batches back first, and then run `millrace usage repair`.',
  };
}

function costPlan(metrics: WatchedMetrics, prices: UnitPrices): AlarmPlan {
  return {
    name: 'dailyCost',
    heading: 'Daily cost',
    metric: metrics.cost(prices, Duration.days(1), Duration.days(1), 'dollars a day'),
    threshold: 20,
    evaluationPeriods: 1,
    maxEvaluationPeriods: 7,
    advice:
      'The units of a day cost more than was planned. See on the dashboard whether it is reads or writes, and since when. ' +
      'A caller in a loop shows as rejected acquires; `millrace cost` says what the load should cost.',
  };
}
