import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { UsageAggregator } from '../usage-aggregator.js';
import type { AlarmSettings } from './alarm-settings.js';
import type { MonthlyBudget } from './monthly-budget.js';
import type { UnitPrices } from './unit-prices.js';

/** Which alarms there are, and whom they tell, whichever limiter they watch. */
export interface LimiterAlarmsOptions {
  /**
   * Whom the alarms tell. CloudWatch is allowed to publish to it; where it is imported, allow it yourself.
   *
   * @default - a topic is made, without subscriptions
   */
  readonly topic?: ITopic;

  /**
   * The customer key that the topic is encrypted with: the one that is made, or an imported one, which does not know its
   * key. CloudWatch is allowed to use it. AWS's own key for SNS cannot be used by CloudWatch.
   *
   * @default - the topic that is made is not encrypted with a key of the account's
   */
  readonly topicKey?: IKey;

  /**
   * Whether the topic is also told when an alarm is over.
   *
   * @default true
   */
  readonly notifyWhenOver?: boolean;

  /**
   * The address at which the operators of the stack read the runbook: a copy of `docs/operations.md` on a wiki or a code
   * host, say. Each alarm adds `#` and the anchor of its heading, so that its message ends with a link.
   *
   * @default - no link: each alarm names the page and the heading in words
   */
  readonly runbookUrl?: string;

  /**
   * The namespace of CloudWatch in which services report what they acquire.
   *
   * @default - that of the aggregator, else 'Millrace'
   */
  readonly metricsNamespace?: string;

  /**
   * What units cost, for the alarm on cost.
   *
   * @default - those of the stack's region where they are known, else those of us-east-1
   */
  readonly prices?: UnitPrices;

  /**
   * Records that the aggregator gave up on, waiting in its failure queue. Messages; a minute.
   *
   * @default - 1 message, 1 period
   */
  readonly failureDestination?: AlarmSettings;

  /**
   * Invocations of the aggregator that failed whole. Errors; 5 minutes.
   *
   * @default - 1 error, 1 period
   */
  readonly aggregatorErrors?: AlarmSettings;

  /**
   * The longest invocation of the aggregator. Percent of its timeout; 5 minutes.
   *
   * @default - 80 percent, 3 periods
   */
  readonly aggregatorDuration?: AlarmSettings;

  /**
   * How far the aggregator is behind the table. Seconds; a minute.
   *
   * @default - 60 seconds, 5 periods
   */
  readonly iteratorAge?: AlarmSettings;

  /**
   * Windows of resources that could not be sealed. Windows; a day.
   *
   * @default - 1 window, 3 periods
   */
  readonly periodsNotSealed?: AlarmSettings;

  /**
   * Rounds of sealing that ended before all was sealed. Percent of the day's rounds; a day.
   *
   * @default - 90 percent, 3 periods
   */
  readonly sealingCutShort?: AlarmSettings;

  /**
   * What could not be read of the ledger of days that are sealed, and so not be checked. Books of an entity or a day; a day.
   *
   * @default - 1 book, 3 periods
   */
  readonly booksNotChecked?: AlarmSettings;

  /**
   * Reads refused because the table or the account may not do more. Requests; 5 minutes.
   *
   * @default - 10 requests, 2 periods
   */
  readonly readThrottles?: AlarmSettings;

  /**
   * Writes refused because the table or the account may not do more. Requests; 5 minutes.
   *
   * @default - 10 requests, 2 periods
   */
  readonly writeThrottles?: AlarmSettings;

  /**
   * Requests refused because one partition carries no more. Some are how a bucket is found to be hot, and end when it is
   * spread over more items. Requests; 5 minutes.
   *
   * @default - 100 requests, 3 periods
   */
  readonly keyRangeThrottles?: AlarmSettings;

  /**
   * Acquires that were refused, where at least a hundred were decided. Percent of those decided; 5 minutes. Needs services that report.
   *
   * @default - 50 percent, 3 periods
   */
  readonly rejectedShare?: AlarmSettings;

  /**
   * Acquires that got no answer from the table, and so failed or were let through. Acquires; 5 minutes. Needs services that report.
   *
   * @default - 10 acquires, 1 period
   */
  readonly unavailable?: AlarmSettings;

  /**
   * Gaps that were found in the ledger: by the aggregator in the days that it seals, unless that is turned off (`seals.checkLedger`), and
   * by verifications that are reported. Gaps; a day.
   *
   * @default - 1 gap, 1 period
   */
  readonly ledgerGaps?: AlarmSettings;

  /**
   * What the units consumed in a day cost on demand; neither storage nor Lambda is in it. Dollars; a day.
   *
   * @default - 20 dollars, 1 period
   */
  readonly dailyCost?: AlarmSettings;

  /**
   * A budget of AWS Budgets, which also counts what no unit tells.
   *
   * @default - none
   */
  readonly monthlyBudget?: MonthlyBudget;
}

/** What is watched, and how. */
export interface LimiterAlarmsProps extends LimiterAlarmsOptions {
  /** The table. */
  readonly table: ITable;

  /**
   * The function behind its stream.
   *
   * @default - none, and no alarms about one
   */
  readonly aggregator?: UsageAggregator;
}
