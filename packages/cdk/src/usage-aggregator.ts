import { Duration } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Metric as CloudWatchMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Architecture, Function as LambdaFunction, Runtime, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { lambdaCode } from './lambda-assets.js';

/** How the usage of a limiter is counted. */
export interface UsageAggregatorProps {
  /** The table, with its stream of new and old images. */
  readonly table: ITable;

  /**
   * The namespace of CloudWatch that the function's metrics are in.
   *
   * @default 'Millrace'
   */
  readonly metricsNamespace?: string;
}

/** The function behind the table's stream: it keeps the usage ledger, and archives audit events. */
export class UsageAggregator extends Construct {
  /** The function. */
  readonly handler: LambdaFunction;
  /** Where batches end that could not be handled: which part of the stream, and why. */
  readonly failureQueue: IQueue;
  /** Its logs. */
  readonly logGroup: ILogGroup;
  /** The namespace of CloudWatch that its metrics are in. */
  readonly metricsNamespace: string;
  private readonly table: ITable;

  constructor(scope: Construct, id: string, props: UsageAggregatorProps) {
    super(scope, id);
    this.table = props.table;
    this.metricsNamespace = props.metricsNamespace ?? 'Millrace';
    this.logGroup = new LogGroup(this, 'Logs', { retention: RetentionDays.ONE_MONTH });
    this.failureQueue = new Queue(this, 'Failures', { enforceSSL: true, retentionPeriod: Duration.days(14) });
    this.handler = new LambdaFunction(this, 'Handler', {
      code: lambdaCode('aggregator'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_22_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: Duration.seconds(60),
      logGroup: this.logGroup,
      environment: { MILLRACE_TABLE: props.table.tableName, MILLRACE_METRICS_NAMESPACE: this.metricsNamespace },
    });
    this.handler.addEventSource(
      new DynamoEventSource(props.table, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 1_000,
        maxBatchingWindow: Duration.seconds(2),
        reportBatchItemFailures: true,
        onFailure: new SqsDlq(this.failureQueue),
      }),
    );
    props.table.grantReadWriteData(this.handler);
  }

  /** One of the metrics that the function writes about this table: see the README for their names. */
  metric(metricName: string, options: MetricOptions = {}): Metric {
    return new CloudWatchMetric({
      namespace: this.metricsNamespace,
      metricName,
      dimensionsMap: { Table: this.table.tableName },
      period: Duration.minutes(1),
      ...options,
    });
  }
}
