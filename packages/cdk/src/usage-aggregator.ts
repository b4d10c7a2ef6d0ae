import { STREAM_FILTERS } from '@millrace/aggregator-lambda/filters';
import { LEDGER_CHECK_METRICS, LEDGER_METRICS, METRICS_NAMESPACE } from '@millrace/core';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Rule } from 'aws-cdk-lib/aws-events';
import { Architecture, EventSourceMapping, Function as LambdaFunction, Runtime, StartingPosition, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.js';
import { aggregatorEnvironment } from './aggregator-environment.js';
import { aggregatorRole } from './aggregator-role.js';
import { lambdaCode } from './lambda-assets.js';
import { metricPlace } from './metric-place.js';
import { checkGiven, PropChecks } from './prop-checks.js';
import { addTags } from './tagging.js';
import type { UsageAggregatorProps } from './usage-aggregator-props.js';
import { checksLedger, sealedTypes, sealingRule } from './usage-sealing.js';

const RECOVERABLE_FOR = Duration.days(14);
/** The function keeps five seconds in reserve, in which it begins nothing. */
const MIN_TIMEOUT_SEC = 6;
const MAX_TIMEOUT_SEC = 900;

/**
 * The function behind the table's stream: it keeps the usage ledger, seals what is over, and archives audit events. It begins with the oldest
 * record that the stream still has, so that nothing is missed that was written before it was there.
 */
export class UsageAggregator extends Construct {
  /** The function. */
  readonly handler: LambdaFunction;
  /** Where it is told which records failed for good: where they are in the stream, and why. */
  readonly failureQueue: IQueue;
  /** The function's logs. */
  readonly logGroup: ILogGroup;
  /** The namespace of CloudWatch that its metrics are in. */
  readonly metricsNamespace: string;
  /** What brings the stream's records to the function. */
  readonly eventSourceMapping: EventSourceMapping;
  /** What has the function seal windows that are over, again and again. */
  readonly sealRule?: Rule;
  /** Whether the function checks the ledger of the days that it seals. */
  readonly checksLedger: boolean;
  /** From which percentage of a limit on entities are counted as near it. Without one nobody looks. */
  readonly thresholdPercent?: number;
  private readonly table: ITable;
  private readonly checks: PropChecks;

  constructor(scope: Construct, id: string, props: UsageAggregatorProps) {
    super(scope, id);
    checkGiven(this, props, 'table', 'the table of a limiter (limiter.table.table)');
    this.checks = new PropChecks(this);
    this.table = props.table;
    this.thresholdPercent = props.thresholdPercent;
    const streamArn = props.table.tableStreamArn;
    if (streamArn === undefined) throw new Error(`${this.node.path}: table must have a stream; give an imported one its tableStreamArn`);
    this.metricsNamespace = this.checks.metricsNamespace(props.metricsNamespace) ?? METRICS_NAMESPACE;
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.failureQueue = props.failureQueue ?? this.createQueue();
    const outlets = { streamArn, failureQueue: this.failureQueue, logGroup: this.logGroup };
    this.handler = this.createFunction(props, aggregatorRole(this, props, outlets, this.checks));
    this.eventSourceMapping = this.createMapping(props, streamArn);
    if (sealedTypes(props).length > 0) this.sealRule = sealingRule(this, this.handler, props.seals?.schedule);
    this.checksLedger = checksLedger(props);
    addTags(this, this.checks, props.tags);
  }

  /** One of the metrics that the function writes about this table, by its name. */
  metric(metricName: string, options: MetricOptions = {}): Metric {
    return new Metric({
      namespace: this.metricsNamespace,
      metricName,
      dimensionsMap: { Table: this.table.tableName },
      period: Duration.minutes(1),
      statistic: Stats.SUM,
      ...metricPlace(this),
      ...options,
    });
  }

  /** Records that arrived. */
  metricRecords(options?: MetricOptions): Metric {
    return this.metric('Records', options);
  }

  /** Milliseconds from the oldest record of a batch to when all of it was in the ledger. */
  metricLag(options: MetricOptions = {}): Metric {
    return this.metric('Lag', { statistic: Stats.MAXIMUM, ...options });
  }

  /** Records that nobody can read. */
  metricPoisonRecords(options?: MetricOptions): Metric {
    return this.metric('PoisonRecords', options);
  }

  /** Records that were told to come again. */
  metricFailedRecords(options?: MetricOptions): Metric {
    return this.metric('FailedRecords', options);
  }

  /** Usage windows that were written. */
  metricWindowsWritten(options?: MetricOptions): Metric {
    return this.metric('WindowsWritten', options);
  }

  /** Audit events that were archived. */
  metricAuditEventsArchived(options?: MetricOptions): Metric {
    return this.metric('AuditEventsArchived', options);
  }

  /** The function's requests that the table had no capacity for. */
  metricThrottles(options?: MetricOptions): Metric {
    return this.metric('Throttles', options);
  }

  /**
   * Entities beyond `thresholdPercent` of a limit: the most of any batch, since one that goes on using is in many. Without a threshold
   * there is no such metric.
   */
  metricEntitiesNearLimit(options: MetricOptions = {}): Metric {
    return this.metric('EntitiesNearLimit', { statistic: Stats.MAXIMUM, ...options });
  }

  /** Windows of resources that were sealed. */
  metricPeriodsSealed(options?: MetricOptions): Metric {
    return this.metric('PeriodsSealed', options);
  }

  /** Windows of resources that could not be sealed. They are tried again. */
  metricPeriodsNotSealed(options?: MetricOptions): Metric {
    return this.metric('PeriodsNotSealed', options);
  }

  /** Rounds of sealing, 1 for those that ended before all was sealed, and 0 for others. */
  metricSealingCutShort(options?: MetricOptions): Metric {
    return this.metric('SealingCutShort', options);
  }

  /** Places in the ledger where records are missing, as they are found when days are sealed, and by verifications that are reported. */
  metricLedgerGaps(options: MetricOptions = {}): Metric {
    return this.metric(LEDGER_METRICS.gaps.name, { statistic: Stats.MAXIMUM, ...options });
  }

  /** Books (the ledger of an entity on a resource in a day) that were checked. */
  metricBooksChecked(options?: MetricOptions): Metric {
    return this.metric(LEDGER_CHECK_METRICS.checked.name, options);
  }

  /** What could not be checked, each time that it was tried. */
  metricBooksNotChecked(options?: MetricOptions): Metric {
    return this.metric(LEDGER_CHECK_METRICS.unchecked.name, options);
  }

  /** Milliseconds that the oldest record of a batch waited in the stream, as Lambda sees it. */
  metricIteratorAge(options: MetricOptions = {}): Metric {
    return this.handler.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: Duration.minutes(1), ...options });
  }

  private createQueue(): Queue {
    const queue = new Queue(this, 'Failures', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RECOVERABLE_FOR,
    });
    acknowledge(queue, 'SQS3', 'It is the queue of what failed for good; nothing is behind it but a person.');
    return queue;
  }

  private createFunction(props: UsageAggregatorProps, role: ReturnType<typeof aggregatorRole>): LambdaFunction {
    const { checks } = this;
    const name = checks.text('functionName', props.functionName, /^[\w-]{1,64}$/, '1 to 64 letters, digits, - or _');
    const handler = new LambdaFunction(this, 'Handler', {
      functionName: name,
      description: 'Keeps the usage ledger of a Millrace table',
      code: lambdaCode('aggregator'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_22_X,
      architecture: Architecture.ARM_64,
      memorySize: checks.wholeNumber('memorySize', props.memorySize, 128, 3_008) ?? 256,
      timeout: checks.seconds('timeout', props.timeout, MIN_TIMEOUT_SEC, MAX_TIMEOUT_SEC) ?? Duration.minutes(1),
      reservedConcurrentExecutions: checks.wholeNumber('reservedConcurrentExecutions', props.reservedConcurrentExecutions, 1, 1_000_000),
      tracing: props.tracing === true ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: aggregatorEnvironment(props, this.metricsNamespace, checks),
      logGroup: this.logGroup,
      role,
    });
    acknowledge(handler, 'L1', 'Node.js 22 is what the function was built for and tested with.');
    return handler;
  }

  private createMapping(props: UsageAggregatorProps, streamArn: string): EventSourceMapping {
    const { checks, failureQueue, handler } = this;
    const mapping = new EventSourceMapping(this, 'Stream', {
      target: handler,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: checks.wholeNumber('batchSize', props.batchSize, 1, 10_000) ?? 1_000,
      maxBatchingWindow: checks.seconds('maxBatchingWindow', props.maxBatchingWindow, 0, 300) ?? Duration.seconds(2),
      parallelizationFactor: checks.wholeNumber('parallelizationFactor', props.parallelizationFactor, 1, 10),
      retryAttempts: checks.wholeNumber('retryAttempts', props.retryAttempts, 0, 10_000) ?? 10,
      maxRecordAge: checks.seconds('maxRecordAge', props.maxRecordAge, 60, 86_400),
      bisectBatchOnError: props.bisectBatchOnError ?? true,
      reportBatchItemFailures: props.reportBatchItemFailures ?? true,
      filters: STREAM_FILTERS.map((filter) => ({ pattern: JSON.stringify(filter) })),
      // The role may send to it already, which is all that Lambda does.
      onFailure: { bind: () => ({ destination: failureQueue.queueArn }) },
    });
    // Where a given role keeps its policies elsewhere in this stack, they come first: Lambda tries them when it maps.
    mapping.node.addDependency(handler);
    return mapping;
  }
}
