import {
  AuditArchive,
  type AuditArchiveProps,
  LimiterAlarms,
  type LimiterAlarmsOptions,
  LimiterDashboard,
  type LimiterDashboardOptions,
  LimiterTable,
  LimitRate,
  LimitsManifest,
  RateLimiter,
  type RateLimiterProps,
  TableBilling,
  type UsageAggregatorOptions,
  UsageWindowType,
} from '@millrace/cdk';
import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { ContributorInsightsMode, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Bucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { idsIn, updateOf } from './stack-update.js';
import { templateOf } from './synth.js';

/** What a prop is set to in a stack that was deployed without it, and what that does to what is there. */
type Updates<Props> = { readonly [Name in keyof Props]-?: readonly [(stack: Stack) => Required<Props>[Name], ...string[]] };

const ACCOUNT = 'arn:aws:iam::123456789012';
const KEY_ARN = 'arn:aws:kms:us-east-1:123456789012:key/1';
const keyIn = (stack: Stack) => Key.fromKeyArn(stack, 'Imported', KEY_ARN);
const boundaryIn = (stack: Stack) => ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'developers');
const SETTINGS = { threshold: 7, evaluationPeriods: 2 };

const OF_LIMITER: Updates<RateLimiterProps> = {
  tableName: [
    () => 'limits',
    // By the reference: a mapping is of one stream.
    'replaces LimiterAggregatorStream (EventSourceArn)',
    'replaces LimiterTable (TableName)',
  ],
  billing: [() => TableBilling.provisioned({ maxReadCapacity: 10, maxWriteCapacity: 10 })],
  encryption: [() => TableEncryption.CUSTOMER_MANAGED, 'adds LimiterTableKey'],
  encryptionKey: [keyIn],
  pointInTimeRecovery: [() => false],
  recoveryPeriod: [() => Duration.days(3)],
  deletionProtection: [() => true],
  removalPolicy: [() => RemovalPolicy.DESTROY],
  contributorInsights: [() => ContributorInsightsMode.THROTTLED_KEYS],
  tags: [() => ({ team: 'platform' })],
  usageAggregation: [() => false, 'removes LimiterAggregatorFailures', 'removes LimiterAggregatorLogs'],
  aggregator: [() => ({})],
  archiveAuditEvents: [() => true, 'adds LimiterAuditArchive'],
  alarming: [() => false, 'removes LimiterAlarmsTopic'],
  alarms: [() => ({})],
  charting: [() => false],
  dashboard: [() => ({})],
  permissionsBoundary: [boundaryIn],
  roleNameFormat: [() => 'platform-{}', 'replaces LimiterAggregatorRole (RoleName)'],
  policyNameFormat: [() => 'platform-{}'],
};

const OF_AGGREGATOR: Updates<UsageAggregatorOptions> = {
  functionName: [
    () => 'usage',
    'replaces LimiterAggregatorHandler (FunctionName)',
    'replaces LimiterAggregatorSealingAllowEventRuleStackLimiterAggregatorHandlerFFD77833 (FunctionName)',
  ],
  memorySize: [() => 512],
  timeout: [() => Duration.minutes(2)],
  reservedConcurrentExecutions: [() => 3],
  batchSize: [() => 10],
  maxBatchingWindow: [() => Duration.seconds(1)],
  parallelizationFactor: [() => 2],
  retryAttempts: [() => 3],
  maxRecordAge: [() => Duration.hours(1)],
  bisectBatchOnError: [() => false],
  reportBatchItemFailures: [() => false],
  failureQueue: [(stack) => Queue.fromQueueArn(stack, 'Failed', 'arn:aws:sqs:us-east-1:1:failed'), 'removes LimiterAggregatorFailures'],
  tracing: [() => true],
  logRetention: [() => RetentionDays.ONE_DAY],
  role: [(stack) => Role.fromRoleArn(stack, 'Given', `${ACCOUNT}:role/given`)],
  permissionsBoundary: [boundaryIn],
  roleNameFormat: [() => '{}', 'replaces LimiterAggregatorRole (RoleName)'],
  policyNameFormat: [() => '{}'],
  windowTypes: [() => [UsageWindowType.DAY, UsageWindowType.MONTH]],
  usageRetention: [() => ({ day: Duration.days(30) })],
  sealing: [() => false],
  seals: [() => ({ schedule: Schedule.rate(Duration.days(1)) })],
  applyConcurrency: [() => 5],
  thresholdPercent: [() => 80],
  thresholdEventBus: [(stack) => EventBus.fromEventBusName(stack, 'Bus', 'alerts')],
  auditArchive: [(stack) => new AuditArchive(stack, 'Own'), 'adds Own'],
  auditPrefix: [() => 'events/'],
  metricsNamespace: [() => 'Ours'],
  tags: [() => ({ team: 'platform' })],
};

const OF_ARCHIVE: Updates<AuditArchiveProps> = {
  bucketName: [() => 'events', 'replaces Archive (BucketName)', 'replaces ArchivePolicy (Bucket)'],
  encryptionKey: [keyIn],
  expiration: [() => Duration.days(100)],
  archiveAfter: [() => Duration.days(30)],
  objectLock: [
    () => ObjectLockRetention.governance(Duration.days(1)),
    'replaces Archive (ObjectLockEnabled)',
    'replaces ArchivePolicy (Bucket)',
  ],
  accessLogBucket: [(stack) => Bucket.fromBucketName(stack, 'Logs', 'logs')],
  removalPolicy: [() => RemovalPolicy.DESTROY],
};

const OF_DASHBOARD: Updates<LimiterDashboardOptions> = {
  dashboardName: [() => 'limits', 'replaces Board (DashboardName)'],
  defaultInterval: [() => Duration.hours(1)],
  runbookUrl: [() => 'https://wiki/limits'],
  metricsNamespace: [() => 'Ours'],
  prices: [() => ({ usdPerMillionReadUnits: 1, usdPerMillionWriteUnits: 1 })],
  callerLogGroups: [(stack) => [LogGroup.fromLogGroupName(stack, 'Callers', 'service')]],
};

const OF_ALARMS: Updates<LimiterAlarmsOptions> = {
  topic: [(stack) => Topic.fromTopicArn(stack, 'Told', 'arn:aws:sns:us-east-1:1:told'), 'removes AlarmsTopic'],
  topicKey: [(stack) => new Key(stack, 'TopicKey'), 'adds TopicKey'],
  notifyWhenOver: [() => false],
  runbookUrl: [() => 'https://wiki/limits'],
  metricsNamespace: [() => 'Ours'],
  prices: [() => ({ usdPerMillionReadUnits: 1, usdPerMillionWriteUnits: 1 })],
  failureDestination: [() => SETTINGS],
  aggregatorErrors: [() => SETTINGS],
  aggregatorDuration: [() => SETTINGS],
  iteratorAge: [() => SETTINGS],
  periodsNotSealed: [() => SETTINGS],
  sealingCutShort: [() => SETTINGS],
  booksNotChecked: [() => SETTINGS],
  readThrottles: [() => SETTINGS],
  writeThrottles: [() => SETTINGS],
  keyRangeThrottles: [() => SETTINGS],
  rejectedShare: [() => SETTINGS],
  unavailable: [() => SETTINGS],
  ledgerGaps: [() => ({ enabled: false })],
  dailyCost: [() => SETTINGS],
  monthlyBudget: [() => ({ usd: 5 })],
};

const limiterIn = (stack: Stack, props: RateLimiterProps) => new RateLimiter(stack, 'Limiter', props);
const tableIn = (stack: Stack) => new LimiterTable(stack, 'Table').table;
const CONSTRUCTS = {
  RateLimiter: { updates: OF_LIMITER, build: limiterIn },
  'RateLimiter.aggregator': {
    updates: OF_AGGREGATOR,
    build: (stack: Stack, aggregator: UsageAggregatorOptions) => limiterIn(stack, { aggregator }),
  },
  AuditArchive: { updates: OF_ARCHIVE, build: (stack: Stack, props: AuditArchiveProps) => new AuditArchive(stack, 'Archive', props) },
  LimiterDashboard: {
    updates: OF_DASHBOARD,
    build: (stack: Stack, props: LimiterDashboardOptions) => new LimiterDashboard(stack, 'Board', { ...props, table: tableIn(stack) }),
  },
  LimiterAlarms: {
    updates: OF_ALARMS,
    build: (stack: Stack, props: LimiterAlarmsOptions) => new LimiterAlarms(stack, 'Alarms', { ...props, table: tableIn(stack) }),
  },
};

const UPDATES = Object.entries(CONSTRUCTS).flatMap(([construct, { updates, build }]) =>
  Object.entries(updates).map(([prop, [valueIn, ...effects]]) => ({ construct, prop, build: build as Build, valueIn, effects })),
);
type Build = (stack: Stack, props: object) => unknown;

describe('what an update of a deployed stack does', () => {
  it.each(UPDATES)('when $construct gets $prop: $effects', ({ prop, build, valueIn, effects }) => {
    const before = templateOf((stack) => build(stack, {}));
    const after = templateOf((stack) => build(stack, { [prop]: valueIn(stack) }));

    expect(updateOf(before, after)).toEqual(effects);
    expect(updateOf(after, before).filter((effect: string) => effect.startsWith('replaces'))).toEqual(
      effects.filter((effect: string) => effect.startsWith('replaces')),
    );
  });

  it('leaves the ids of resources as they are: those of other names would be made anew, and the table with all that is in it left behind', () => {
    const template = templateOf((stack) => {
      const limiter = limiterIn(stack, { archiveAuditEvents: true, encryption: TableEncryption.CUSTOMER_MANAGED });
      new LimitsManifest(stack, 'Limits', { limiter, system: [LimitRate.perMinute('rpm', 60)] });
    });

    expect(idsIn(template)).toEqual([
      'LimiterAggregatorFailuresCBA9B0DB AWS::SQS::Queue',
      'LimiterAggregatorFailuresPolicy76B6E5C9 AWS::SQS::QueuePolicy',
      'LimiterAggregatorHandlerABB5E72F AWS::Lambda::Function',
      'LimiterAggregatorLogs71A60BEF AWS::Logs::LogGroup',
      'LimiterAggregatorRole24BCD7E8 AWS::IAM::Role',
      'LimiterAggregatorRoleDefaultPolicy3720F58F AWS::IAM::Policy',
      'LimiterAggregatorSealingAllowEventRuleStackLimiterAggregatorHandlerFFD77833D31E9E70 AWS::Lambda::Permission',
      'LimiterAggregatorSealingE35E9A4C AWS::Events::Rule',
      'LimiterAggregatorStreamD2708834 AWS::Lambda::EventSourceMapping',
      'LimiterAlarmsAggregatorDurationDC2FDDFC AWS::CloudWatch::Alarm',
      'LimiterAlarmsAggregatorErrorsEE666728 AWS::CloudWatch::Alarm',
      'LimiterAlarmsBooksNotChecked251D941F AWS::CloudWatch::Alarm',
      'LimiterAlarmsDailyCost23E2D648 AWS::CloudWatch::Alarm',
      'LimiterAlarmsFailureDestinationA980B3D2 AWS::CloudWatch::Alarm',
      'LimiterAlarmsIteratorAgeE40C9500 AWS::CloudWatch::Alarm',
      'LimiterAlarmsKeyRangeThrottles6ED8BBDF AWS::CloudWatch::Alarm',
      'LimiterAlarmsLedgerGaps35212B62 AWS::CloudWatch::Alarm',
      'LimiterAlarmsPeriodsNotSealed879F88FE AWS::CloudWatch::Alarm',
      'LimiterAlarmsReadThrottles56EB1A02 AWS::CloudWatch::Alarm',
      'LimiterAlarmsRejectedShareC63B91FB AWS::CloudWatch::Alarm',
      'LimiterAlarmsSealingCutShortF6AD8C1C AWS::CloudWatch::Alarm',
      'LimiterAlarmsTopic419EE425 AWS::SNS::Topic',
      'LimiterAlarmsTopicPolicy5511B07C AWS::SNS::TopicPolicy',
      'LimiterAlarmsUnavailable75EBFF7C AWS::CloudWatch::Alarm',
      'LimiterAlarmsWriteThrottles53B93494 AWS::CloudWatch::Alarm',
      'LimiterAuditArchiveB4CA60D2 AWS::S3::Bucket',
      'LimiterAuditArchivePolicyA6CECA73 AWS::S3::BucketPolicy',
      'LimiterDashboard7235E750 AWS::CloudWatch::Dashboard',
      'LimiterTable1051C884 AWS::DynamoDB::Table',
      'LimiterTableKeyA516121C AWS::KMS::Key',
      'LimitsA6AFC87B Custom::MillraceLimits',
      'LimitsHandlerE466FA09 AWS::Lambda::Function',
      'LimitsHandlerEventInvokeConfig6F96115B AWS::Lambda::EventInvokeConfig',
      'LimitsLogs72701FC9 AWS::Logs::LogGroup',
      'LimitsRoleDefaultPolicy98984831 AWS::IAM::Policy',
      'LimitsRoleF25D5EF5 AWS::IAM::Role',
    ]);
  });
});
