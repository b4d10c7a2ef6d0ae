import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { LimiterAlarmsOptions } from './alarms/limiter-alarms-props.js';
import type { LimiterDashboardOptions } from './dashboard/limiter-dashboard-props.js';
import type { LimiterTableProps } from './limiter-table-props.js';
import type { UsageAggregatorOptions } from './usage-aggregator-props.js';

/** What a limiter is made of. Nothing must be given. */
export interface RateLimiterProps extends LimiterTableProps {
  /**
   * Whether there is a function that counts usage. Limits hold without it; the ledger, its metrics and the archive need it.
   *
   * @default true
   */
  readonly usageAggregation?: boolean;

  /**
   * How usage is counted.
   *
   * @default - as UsageAggregator does by itself
   */
  readonly aggregator?: UsageAggregatorOptions;

  /**
   * Whether a bucket is made that keeps audit events for ever. A bucket with other rules is an AuditArchive of your own,
   * given as `aggregator.auditArchive`.
   *
   * @default false
   */
  readonly archiveAuditEvents?: boolean;

  /**
   * Whether there are alarms, and a topic that they tell. They cost about three dollars a month, ten cents for each metric
   * that they look at.
   *
   * @default true
   */
  readonly alarming?: boolean;

  /**
   * Which alarms there are, and whom they tell. Nobody hears of them until somebody subscribes to their topic.
   *
   * @default - as LimiterAlarms does by itself
   */
  readonly alarms?: LimiterAlarmsOptions;

  /**
   * Whether there is a dashboard. It costs three dollars a month.
   *
   * @default true
   */
  readonly charting?: boolean;

  /**
   * What the dashboard shows.
   *
   * @default - as LimiterDashboard does by itself
   */
  readonly dashboard?: LimiterDashboardOptions;

  /**
   * The permissions boundary of the roles that are made.
   *
   * @default - none
   */
  readonly permissionsBoundary?: IManagedPolicy;

  /**
   * How the roles that are made are named: `{}` stands for the stack's name and the part, as `-aggregator`. Names of roles are of the whole
   * account: a stack of the same name in another region wants the region in the format, and a second limiter of the stack another format.
   *
   * @default - CloudFormation makes names up
   */
  readonly roleNameFormat?: string;

  /**
   * How the policy in the function's role is named: `{}` stands for the stack's name and the part, as `-aggregator`.
   *
   * @default 'UsageAggregator'
   */
  readonly policyNameFormat?: string;
}

/** A limiter that another stack has made, or nobody's stack. One of `tableName` and `tableArn` must be given. */
export interface RateLimiterAttributes {
  /**
   * The name of its table, in the account and region of this stack.
   *
   * @default - that of tableArn
   */
  readonly tableName?: string;

  /**
   * The ARN of its table.
   *
   * @default - that of tableName in this stack's account and region
   */
  readonly tableArn?: string;

  /**
   * The key that its table is encrypted with, where that is a key of the account's. Without it grants give no use of it.
   *
   * @default - a key of AWS's, which nobody needs to be granted
   */
  readonly encryptionKey?: IKey;

  /**
   * The namespace of CloudWatch that its own metrics are in.
   *
   * @default 'Millrace'
   */
  readonly metricsNamespace?: string;
}
