import { type OnDemandOptions, type ProvisionedOptions, UsageWindowType } from '@millrace/cdk';
import { Duration, type Stack } from 'aws-cdk-lib';
import { EventBus, Schedule } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { acknowledge } from '../src/acknowledgements.js';

/** All props but those that exclude another one, by name: the compiler finds one that is new and not used here. */
export type Every<Props, Excluded extends keyof Props = never> = Required<Omit<Props, Excluded>>;

export const TAGS = { team: 'platform' };
const RUNBOOK = 'https://wiki.example.com/limits';
const PRICES = { usdPerMillionReadUnits: 0.125, usdPerMillionWriteUnits: 0.625 };
const SETTINGS = { enabled: true, threshold: 5, evaluationPeriods: 2 };
const SEALS = {
  windowTypes: [UsageWindowType.DAY],
  delay: Duration.hours(2),
  schedule: Schedule.rate(Duration.hours(6)),
  checkLedger: true,
};
const RETENTION = { hour: Duration.days(30), day: Duration.days(90), week: Duration.days(180), month: Duration.days(900) };

export const ON_DEMAND: Every<OnDemandOptions> = { maxReadRequestUnits: 100, maxWriteRequestUnits: 200 };
export const PROVISIONED: Every<ProvisionedOptions> = {
  minReadCapacity: 5,
  maxReadCapacity: 50,
  minWriteCapacity: 10,
  maxWriteCapacity: 100,
  targetUtilizationPercent: 60,
};

export const keyIn = (stack: Stack, id: string): Key => new Key(stack, id, { enableKeyRotation: true });

function busAndQueue(stack: Stack, id: string) {
  const failureQueue = new Queue(stack, `${id}Failures`, {
    encryption: QueueEncryption.KMS,
    encryptionMasterKey: keyIn(stack, `${id}QueueKey`),
    enforceSSL: true,
  });
  acknowledge(failureQueue, 'SQS3', 'It is the queue of what failed for good, as the one that the construct makes.');
  return { failureQueue, thresholdEventBus: new EventBus(stack, `${id}Bus`) };
}

/** How usage is counted, whoever's the role is and wherever audit events go. */
export function counting(stack: Stack, id: string) {
  return {
    functionName: `${id}-aggregator`,
    memorySize: 512,
    timeout: Duration.minutes(2),
    reservedConcurrentExecutions: 10,
    batchSize: 500,
    maxBatchingWindow: Duration.seconds(5),
    parallelizationFactor: 4,
    retryAttempts: 20,
    maxRecordAge: Duration.hours(6),
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    tracing: true,
    logRetention: RetentionDays.ONE_WEEK,
    windowTypes: Object.values(UsageWindowType),
    usageRetention: RETENTION,
    sealing: true,
    seals: SEALS,
    applyConcurrency: 20,
    thresholdPercent: 80,
    auditPrefix: 'events/',
    metricsNamespace: 'Platform/Limits',
    tags: TAGS,
    ...busAndQueue(stack, id),
  };
}

export function watching(stack: Stack, id: string) {
  const topicKey = keyIn(stack, `${id}TopicKey`);
  return {
    topic: new Topic(stack, `${id}Topic`, { enforceSSL: true, masterKey: topicKey }),
    topicKey,
    notifyWhenOver: false,
    runbookUrl: RUNBOOK,
    metricsNamespace: 'Platform/Limits',
    prices: PRICES,
    failureDestination: SETTINGS,
    aggregatorErrors: SETTINGS,
    aggregatorDuration: SETTINGS,
    iteratorAge: SETTINGS,
    periodsNotSealed: SETTINGS,
    sealingCutShort: SETTINGS,
    booksNotChecked: SETTINGS,
    readThrottles: SETTINGS,
    writeThrottles: SETTINGS,
    keyRangeThrottles: SETTINGS,
    rejectedShare: SETTINGS,
    unavailable: SETTINGS,
    ledgerGaps: SETTINGS,
    dailyCost: SETTINGS,
    monthlyBudget: { usd: 100, tagKey: 'team', tagValue: 'platform' },
  };
}

export const charting = (stack: Stack, id: string) => ({
  dashboardName: id,
  defaultInterval: Duration.days(1),
  runbookUrl: RUNBOOK,
  metricsNamespace: 'Platform/Limits',
  prices: PRICES,
  callerLogGroups: [new LogGroup(stack, `${id}Callers`)],
});
