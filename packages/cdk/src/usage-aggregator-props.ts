import type { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IManagedPolicy, IRole } from 'aws-cdk-lib/aws-iam';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { AuditArchive } from './audit-archive.js';
import type { UsageSealOptions } from './usage-seal-options.js';
import type { UsageRetention, UsageWindowType } from './usage-windows.js';

/** How the usage of a limiter is counted, whichever limiter it is. */
export interface UsageAggregatorOptions {
  /**
   * The name of the function.
   *
   * @default - CloudFormation makes one up
   */
  readonly functionName?: string;

  /**
   * The memory of the function in MiB, 128 to 3008. Processor time grows with it.
   *
   * @default 256
   */
  readonly memorySize?: number;

  /**
   * How long one batch may take, 6 to 900 whole seconds. With five seconds left the function begins nothing more.
   *
   * @default Duration.seconds(60)
   */
  readonly timeout?: Duration;

  /**
   * How many batches may be handled at once at most, taken off what the account's other functions may use.
   *
   * @default - as many as the stream has shards, times parallelizationFactor
   */
  readonly reservedConcurrentExecutions?: number;

  /**
   * How many records one batch has at most, 1 to 10 000. A batch costs one write for each bucket and window in it, so
   * larger is cheaper.
   *
   * @default 1000
   */
  readonly batchSize?: number;

  /**
   * How long records may wait to fill a batch, 0 to 300 whole seconds. Longer is cheaper and staler.
   *
   * @default Duration.seconds(2)
   */
  readonly maxBatchingWindow?: Duration;

  /**
   * How many batches of one shard of the stream are handled at once, 1 to 10. The ledger does not care about their order.
   *
   * @default 1
   */
  readonly parallelizationFactor?: number;

  /**
   * How often what failed is tried again, 0 to 10 000, before it goes to the failure queue. Until then the records behind
   * it wait.
   *
   * @default 10
   */
  readonly retryAttempts?: number;

  /**
   * How old a record may become before it goes to the failure queue untried, 60 to 86 400 whole seconds: the stream
   * forgets after a day.
   *
   * @default - as old as the stream lets it
   */
  readonly maxRecordAge?: Duration;

  /**
   * Whether a batch that failed is halved before it is tried again, so that a bad record ends alone in the failure queue.
   *
   * @default true
   */
  readonly bisectBatchOnError?: boolean;

  /**
   * Whether the function tells which records failed, so that only those from the first of them on come again. Without it
   * a bad record makes its whole batch come again, which the ledger bears and which costs.
   *
   * @default true
   */
  readonly reportBatchItemFailures?: boolean;

  /**
   * Where it is told which records failed for good.
   *
   * @default - a queue that is made, encrypted, and keeps its messages for 14 days
   */
  readonly failureQueue?: IQueue;

  /**
   * Whether X-Ray traces the invocations. It costs by the trace.
   *
   * @default false
   */
  readonly tracing?: boolean;

  /**
   * For how long the logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * The role of the function. It gets what the function needs, unless it is one that this stack must not change: then it
   * must have all of that already (see the README).
   *
   * @default - one that is made, with exactly what the function sends
   */
  readonly role?: IRole;

  /**
   * The permissions boundary of the role that is made.
   *
   * @default - none
   */
  readonly permissionsBoundary?: IManagedPolicy;

  /**
   * How the role that is made is named: `{}` stands for the stack's name and `-aggregator`. At most 64 characters come out.
   *
   * @default - CloudFormation makes a name up
   */
  readonly roleNameFormat?: string;

  /**
   * How the policy in that role is named: `{}` stands for the stack's name and `-aggregator`. At most 128 characters come out.
   *
   * @default 'UsageAggregator'
   */
  readonly policyNameFormat?: string;

  /**
   * Over what usage is summed. Each type costs one write for each bucket and batch.
   *
   * @default - hours, days, weeks and months
   */
  readonly windowTypes?: UsageWindowType[];

  /**
   * For how long usage is kept.
   *
   * @default - hours for 90 days, days for 400, weeks for 800, months for ever
   */
  readonly usageRetention?: UsageRetention;

  /**
   * Whether windows that are over are sealed, so that nobody can change later what a bill was made of without it being seen.
   *
   * @default true
   */
  readonly sealing?: boolean;

  /**
   * Which windows are sealed, and when.
   *
   * @default - days and months, a day after they are over
   */
  readonly seals?: UsageSealOptions;

  /**
   * How many writes are under way at once, 1 to 200.
   *
   * @default 50
   */
  readonly applyConcurrency?: number;

  /**
   * From which share of what a limit lets through in a window on an entity counts as near its limit, 1 to 100 percent,
   * in the shortest type of window that is kept and at least as long as the limit's period. It costs one read for each entity and limit in a batch.
   *
   * @default - nobody looks
   */
  readonly thresholdPercent?: number;

  /**
   * Where the function tells of entities that are near a limit: source `millrace`, detail type `Limit Threshold Crossed`.
   *
   * @default - they are counted in the metric EntitiesNearLimit only
   */
  readonly thresholdEventBus?: IEventBus;

  /**
   * Where audit events are kept for longer than in the table.
   *
   * @default - nowhere
   */
  readonly auditArchive?: AuditArchive;

  /**
   * What the keys of archived audit events begin with.
   *
   * @default 'audit/'
   */
  readonly auditPrefix?: string;

  /**
   * The namespace of CloudWatch that the function's metrics are in.
   *
   * @default 'Millrace'
   */
  readonly metricsNamespace?: string;

  /**
   * Tags on all that this construct makes, at most 45.
   *
   * @default - those of the stack
   */
  readonly tags?: { readonly [key: string]: string };
}

/** Whose usage is counted, and how. */
export interface UsageAggregatorProps extends UsageAggregatorOptions {
  /** The table, with its stream of new and old images. An imported one must know the ARN of its stream. */
  readonly table: ITable;
}
