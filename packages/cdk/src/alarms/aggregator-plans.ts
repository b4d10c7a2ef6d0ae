import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { UsageAggregator } from '../usage-aggregator.js';
import type { AlarmPlan } from './alarm-plan.js';

/** What Lambda allows where a function says nothing. */
const DEFAULT_TIMEOUT = Duration.seconds(3);
const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);
/** However often it is sealed; longer than seven days CloudWatch does not look back. */
const BY_DAYS = { evaluationPeriods: 3, maxEvaluationPeriods: 7 };

/** The alarms on the function behind the stream. */
export function aggregatorPlans(aggregator: UsageAggregator): AlarmPlan[] {
  return [
    ...streamPlans(aggregator),
    ...(aggregator.sealRule === undefined ? [] : sealingPlans(aggregator)),
    ...(aggregator.checksLedger ? [checkPlan(aggregator)] : []),
  ];
}

function streamPlans(aggregator: UsageAggregator): AlarmPlan[] {
  const { handler, failureQueue } = aggregator;
  return [
    {
      name: 'failureDestination',
      heading: 'Failure destination not empty',
      metric: failureQueue.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: Stats.MAXIMUM }),
      threshold: 1,
      evaluationPeriods: 1,
      advice:
        'The aggregator gave up on records of the stream; their usage is missing until they are put back or repaired. ' +
        'Read the messages and the log of the function. The stream keeps records for 24 hours.',
    },
    {
      name: 'aggregatorErrors',
      heading: 'Aggregator errors',
      metric: handler.metricErrors({ period: FIVE_MINUTES, statistic: Stats.SUM }),
      threshold: 1,
      evaluationPeriods: 1,
      advice: 'Whole invocations fail: permissions, a timeout, or a deployment gone wrong. Read the log; nothing is counted until it ends.',
    },
    {
      name: 'aggregatorDuration',
      heading: 'Aggregator duration',
      metric: handler.metricDuration({ period: FIVE_MINUTES, statistic: Stats.MAXIMUM }),
      threshold: 80,
      maxThreshold: 100,
      perUnit: (handler.timeout ?? DEFAULT_TIMEOUT).toMilliseconds() / 100,
      evaluationPeriods: 3,
      advice:
        'Batches take nearly all the time that they have, and will fail. Raise memorySize first, then lower batchSize, then raise the timeout.',
    },
    {
      name: 'iteratorAge',
      heading: 'Iterator age',
      metric: aggregator.metricIteratorAge({ period: MINUTE }),
      threshold: 60,
      perUnit: 1_000,
      evaluationPeriods: 5,
      advice:
        'The aggregator is behind: usage comes late, and is lost beyond 24 hours. Look for errors and throttles first, ' +
        'then raise parallelizationFactor or memorySize.',
    },
  ];
}

/** What fails once is sealed by the next round. What still fails after days will not be sealed by itself. */
function sealingPlans(aggregator: UsageAggregator): AlarmPlan[] {
  return [
    {
      name: 'periodsNotSealed',
      heading: 'Periods not sealed',
      metric: aggregator.metricPeriodsNotSealed({ period: Duration.days(1) }),
      threshold: 1,
      ...BY_DAYS,
      advice:
        'Windows that are over could not be sealed, for days. Limits and usage are not touched. ' +
        'The log of the function says which windows, and why; one that is too large for an invocation is sealed by `millrace usage seal`.',
    },
    {
      name: 'sealingCutShort',
      heading: 'Sealing cut short',
      metric: aggregator.metricSealingCutShort({ period: Duration.days(1), statistic: Stats.AVERAGE }),
      threshold: 90,
      maxThreshold: 100,
      perUnit: 0.01,
      ...BY_DAYS,
      advice:
        'There is more to seal than the rounds of a day have time for, so seals come later and later. ' +
        'Raise the timeout and the memory of the function, seal more often (seals.schedule), or fewer types of windows.',
    },
  ];
}

/** What is not read in one round is in the next. While nothing is read at all, the alarm on gaps has no data, and would stay silent. */
function checkPlan(aggregator: UsageAggregator): AlarmPlan {
  return {
    name: 'booksNotChecked',
    heading: 'Books not checked',
    metric: aggregator.metricBooksNotChecked({ period: Duration.days(1) }),
    threshold: 1,
    ...BY_DAYS,
    advice:
      'The ledger of days that are sealed could not be checked, for days, so nobody would hear of gaps in it. ' +
      'Limits and usage are not touched. The log of the function says which, and why; `millrace usage verify` checks by hand.',
  };
}
