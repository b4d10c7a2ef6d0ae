import type { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { LimiterAlarms } from '../alarms/limiter-alarms.js';
import type { UnitPrices } from '../alarms/unit-prices.js';
import type { UsageAggregator } from '../usage-aggregator.js';

/** What the dashboard shows, whichever limiter it is of. */
export interface LimiterDashboardOptions {
  /**
   * The name of the dashboard.
   *
   * @default - CloudFormation makes one up
   */
  readonly dashboardName?: string;

  /**
   * How much of the past is shown at first: from a minute to the 455 days that CloudWatch keeps.
   *
   * @default Duration.hours(12)
   */
  readonly defaultInterval?: Duration;

  /**
   * The address at which the operators of the stack read the runbook, `docs/operations.md`.
   *
   * @default - no link: the dashboard names the page in words
   */
  readonly runbookUrl?: string;

  /**
   * The namespace of CloudWatch in which services report what they acquire.
   *
   * @default - that of the aggregator, else 'Millrace'
   */
  readonly metricsNamespace?: string;

  /**
   * What units cost.
   *
   * @default - those of the stack's region where they are known, else those of us-east-1
   */
  readonly prices?: UnitPrices;

  /**
   * The logs of the services that report with `emfSink()` and the option `topEntities`: a rule of Contributor Insights
   * ranks the entities in them. The rule costs money of its own.
   *
   * @default - the heaviest entities are not shown
   */
  readonly callerLogGroups?: ILogGroup[];
}

/** What is shown, and of what. */
export interface LimiterDashboardProps extends LimiterDashboardOptions {
  /** The table. */
  readonly table: ITable;

  /**
   * The function behind its stream.
   *
   * @default - none, and nothing about one
   */
  readonly aggregator?: UsageAggregator;

  /**
   * Alarms whose state is shown.
   *
   * @default - none
   */
  readonly alarms?: LimiterAlarms;
}
