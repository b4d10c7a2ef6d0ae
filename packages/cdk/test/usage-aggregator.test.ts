import { environmentOf, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { LimiterTable, UsageAggregator, type UsageAggregatorOptions, UsageWindowType } from '@millrace/cdk';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { mistakesOf, newStack, onlyOne, templateOf } from './synth.js';

const FUNCTION = 'AWS::Lambda::Function';
const MAPPING = 'AWS::Lambda::EventSourceMapping';

const aggregatorIn = (stack: Stack, options?: UsageAggregatorOptions): UsageAggregator =>
  new UsageAggregator(stack, 'Usage', { ...options, table: new LimiterTable(stack, 'Table', { tableName: 'limits' }).table });
const aggregatorWith = (options?: UsageAggregatorOptions): Template => templateOf((stack) => aggregatorIn(stack, options));
const mistakesWith = (options: UsageAggregatorOptions): string[] => mistakesOf((stack) => aggregatorIn(stack, options));

describe('an aggregator without props', () => {
  let template: Template;
  beforeAll(() => {
    template = aggregatorWith();
  });

  it('has 256 MiB and a minute, on ARM, and no concurrency of its own', () => {
    template.hasResourceProperties(FUNCTION, {
      Handler: 'index.handler',
      Runtime: 'nodejs22.x',
      Architectures: ['arm64'],
      MemorySize: 256,
      Timeout: 60,
      ReservedConcurrentExecutions: Match.absent(),
      TracingConfig: Match.absent(),
      FunctionName: Match.absent(),
    });
  });

  it('reads the stream from its beginning: a thousand records or two seconds at once, failed ones apart, ten times more', () => {
    template.hasResourceProperties(MAPPING, {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('Table'), 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 1_000,
      MaximumBatchingWindowInSeconds: 2,
      ParallelizationFactor: Match.absent(),
      MaximumRetryAttempts: 10,
      MaximumRecordAgeInSeconds: Match.absent(),
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it("lets through what the function's own filters do, and nothing else", () => {
    const { FilterCriteria: criteria } = onlyOne(template, MAPPING) as { FilterCriteria: { Filters: { Pattern: string }[] } };

    expect(criteria.Filters.map(({ Pattern: pattern }) => JSON.parse(pattern))).toEqual(STREAM_FILTERS);
  });

  it('tells what failed for good to a queue: encrypted, by TLS only, for 14 days', () => {
    template.hasResourceProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 });
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: { Statement: [Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })] },
    });
    template.hasResourceProperties(MAPPING, {
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('Failures'), 'Arn'] } } },
    });
  });

  it('logs for a month to a group that goes with the stack', () => {
    template.hasResource('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete', Properties: { RetentionInDays: 30 } });
    template.hasResourceProperties(FUNCTION, { LoggingConfig: { LogGroup: { Ref: Match.stringLikeRegexp('Logs') } } });
  });
});

describe('the sealing of windows that are over', () => {
  it('is begun each hour, by an event that the function knows, offered to it for an hour', () => {
    const template = aggregatorWith();

    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 hour)',
      State: 'ENABLED',
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^UsageHandler'), 'Arn'] },
          RetryPolicy: { MaximumEventAgeInSeconds: 3_600, MaximumRetryAttempts: 10 },
          // Then it is the rule's own event that arrives, which is what the function takes for one.
          Input: Match.absent(),
          InputPath: Match.absent(),
          InputTransformer: Match.absent(),
        },
      ],
    });
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^UsageSealing'), 'Arn'] },
    });
  });

  it('has a schedule that is given', () => {
    const schedule = Schedule.cron({ hour: '3', minute: '0' });
    aggregatorWith({ seals: { schedule } }).hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'cron(0 3 * * ? *)' });
  });

  it.each<[string, UsageAggregatorOptions]>([
    ['it is not wanted', { sealing: false }],
    ['no window is kept that is sealed', { windowTypes: [UsageWindowType.HOUR] }],
  ])('is not begun where %s', (_, options) => {
    const template = aggregatorWith(options);

    template.resourceCountIs('AWS::Events::Rule', 0);
    template.resourceCountIs('AWS::Lambda::Permission', 0);
  });
});

describe('the props of the function', () => {
  it('reach it', () => {
    aggregatorWith({
      functionName: 'usage',
      memorySize: 512,
      timeout: Duration.minutes(5),
      reservedConcurrentExecutions: 10,
      tracing: true,
    }).hasResourceProperties(FUNCTION, {
      FunctionName: 'usage',
      MemorySize: 512,
      Timeout: 300,
      ReservedConcurrentExecutions: 10,
      TracingConfig: { Mode: 'Active' },
    });
  });

  it('reach its mapping', () => {
    aggregatorWith({
      batchSize: 100,
      maxBatchingWindow: Duration.seconds(30),
      parallelizationFactor: 4,
      retryAttempts: 3,
      maxRecordAge: Duration.hours(6),
      bisectBatchOnError: false,
      reportBatchItemFailures: false,
    }).hasResourceProperties(MAPPING, {
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 30,
      ParallelizationFactor: 4,
      MaximumRetryAttempts: 3,
      MaximumRecordAgeInSeconds: 21_600,
      BisectBatchOnFunctionError: false,
      FunctionResponseTypes: Match.absent(),
    });
  });

  it('take a queue of somebody else, and make none', () => {
    const template = templateOf((stack) => aggregatorIn(stack, { failureQueue: new Queue(stack, 'Mine') }));

    template.resourceCountIs('AWS::SQS::Queue', 1);
    template.hasResourceProperties(MAPPING, {
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Mine'), 'Arn'] } } },
    });
  });

  it('keep logs and tag everything', () => {
    const template = aggregatorWith({ logRetention: RetentionDays.THREE_DAYS, tags: { team: 'platform' } });

    template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 3, Tags: [{ Key: 'team', Value: 'platform' }] });
    for (const type of [FUNCTION, 'AWS::IAM::Role', 'AWS::SQS::Queue']) {
      template.hasResourceProperties(type, { Tags: Match.arrayWith([{ Key: 'team', Value: 'platform' }]) });
    }
  });

  it('are told all that is wrong with them at once, each with its bounds and what was got', () => {
    const told = mistakesWith({
      functionName: 'not a name',
      memorySize: 64,
      timeout: Duration.seconds(5),
      reservedConcurrentExecutions: 0,
      batchSize: 10_001,
      maxBatchingWindow: Duration.seconds(301),
      parallelizationFactor: 11,
      retryAttempts: -1,
      maxRecordAge: Duration.days(2),
      metricsNamespace: 'with spaces',
      applyConcurrency: 201,
      thresholdPercent: 0,
      windowTypes: [],
      usageRetention: { hour: Duration.days(1), month: Duration.days(31) },
    });

    expect(told.sort()).toEqual([
      'applyConcurrency must be a whole number from 1 to 200, got: 201',
      'batchSize must be a whole number from 1 to 10000, got: 10001',
      "functionName must be 1 to 64 letters, digits, - or _, got: 'not a name'",
      'maxBatchingWindow must be whole seconds from 0 to 300, got: 301 seconds',
      'maxRecordAge must be whole seconds from 60 to 86400, got: 172800 seconds',
      'memorySize must be a whole number from 128 to 3008, got: 64',
      "metricsNamespace must be 1 to 255 letters, digits, ., -, _, / or #, and not begin with AWS/, got: 'with spaces'",
      'parallelizationFactor must be a whole number from 1 to 10, got: 11',
      'reservedConcurrentExecutions must be a whole number from 1 to 1000000, got: 0',
      'retryAttempts must be a whole number from 0 to 10000, got: -1',
      'thresholdPercent must be a whole number from 1 to 100, got: 0',
      'timeout must be whole seconds from 6 to 900, got: 5 seconds',
      'usageRetention: hour must be whole days from 3 to 36500, got: 1 days',
      'usageRetention: month must be whole days from 34 to 36500, got: 31 days',
      'windowTypes must be a list of at least one of hour, day, week, month, got: []',
    ]);
  });

  it('lie within bounds that the function takes, too: it keeps its reserve out of the shortest timeout', () => {
    const { options } = environmentOf({ MILLRACE_TABLE: 'limits', AWS_REGION: 'eu-central-1' });

    expect(mistakesWith({ timeout: Duration.seconds(6) })).toEqual([]);
    expect(options.reserveMs).toBeLessThan(6_000);
  });

  it('do not take a table without a stream', () => {
    const stack = newStack();
    const table = Table.fromTableName(stack, 'Imported', 'limits');

    expect(() => new UsageAggregator(stack, 'Usage', { table })).toThrow(
      'Stack/Usage: table must have a stream; give an imported one its tableStreamArn',
    );
  });

  it('take an imported table that knows its stream', () => {
    const tableArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/limits';
    const template = templateOf((stack) => {
      const table = Table.fromTableAttributes(stack, 'Imported', { tableArn, tableStreamArn: `${tableArn}/stream/now` });
      new UsageAggregator(stack, 'Usage', { table });
    });

    template.hasResourceProperties(MAPPING, { EventSourceArn: `${tableArn}/stream/now` });
  });
});

describe('the metrics of an aggregator', () => {
  it('are those that the function writes about this table', () => {
    const stack = newStack();
    const aggregator = aggregatorIn(stack, { metricsNamespace: 'Limits/Prod' });

    const found = [
      aggregator.metricRecords(),
      aggregator.metricLag(),
      aggregator.metricPoisonRecords(),
      aggregator.metricFailedRecords(),
      aggregator.metricWindowsWritten(),
      aggregator.metricAuditEventsArchived(),
      aggregator.metricThrottles(),
      aggregator.metricEntitiesNearLimit(),
      aggregator.metricPeriodsSealed(),
      aggregator.metricPeriodsNotSealed(),
      aggregator.metricSealingCutShort(),
      aggregator.metricLedgerGaps(),
      aggregator.metricBooksChecked(),
      aggregator.metricBooksNotChecked(),
    ].map((metric) => stack.resolve(metric.toMetricConfig().metricStat));

    expect(found.map(({ metricName, statistic }) => `${metricName} ${statistic}`)).toEqual([
      'Records Sum',
      'Lag Maximum',
      'PoisonRecords Sum',
      'FailedRecords Sum',
      'WindowsWritten Sum',
      'AuditEventsArchived Sum',
      'Throttles Sum',
      'EntitiesNearLimit Maximum',
      'PeriodsSealed Sum',
      'PeriodsNotSealed Sum',
      'SealingCutShort Sum',
      'LedgerGaps Maximum',
      'BooksChecked Sum',
      'BooksNotChecked Sum',
    ]);
    for (const { namespace, dimensions } of found) {
      expect(namespace).toBe('Limits/Prod');
      expect(dimensions).toEqual([{ name: 'Table', value: { Ref: expect.stringMatching(/^Table/) } }]);
    }
    const age = aggregator.metricIteratorAge().toMetricConfig().metricStat;
    expect(age).toMatchObject({ namespace: 'AWS/Lambda', metricName: 'IteratorAge', statistic: 'Maximum' });
    Template.fromStack(stack).hasResourceProperties(FUNCTION, {
      Environment: { Variables: Match.objectLike({ MILLRACE_METRICS_NAMESPACE: 'Limits/Prod' }) },
    });
  });
});
