import type { LimiterAlarmsOptions } from './alarms/limiter-alarms-props.js';
import type { LimiterDashboardOptions } from './dashboard/limiter-dashboard-props.js';
import type { OptionNames } from './prop-checks.js';
import type { UsageAggregatorOptions } from './usage-aggregator-props.js';

/** The names that the options of each part of a limiter may have. */
export const AGGREGATOR_OPTIONS: OptionNames<UsageAggregatorOptions> = {
  functionName: true,
  memorySize: true,
  timeout: true,
  reservedConcurrentExecutions: true,
  batchSize: true,
  maxBatchingWindow: true,
  parallelizationFactor: true,
  retryAttempts: true,
  maxRecordAge: true,
  bisectBatchOnError: true,
  reportBatchItemFailures: true,
  failureQueue: true,
  tracing: true,
  logRetention: true,
  role: true,
  permissionsBoundary: true,
  roleNameFormat: true,
  policyNameFormat: true,
  windowTypes: true,
  usageRetention: true,
  sealing: true,
  seals: true,
  applyConcurrency: true,
  thresholdPercent: true,
  thresholdEventBus: true,
  auditArchive: true,
  auditPrefix: true,
  metricsNamespace: true,
  tags: true,
};

export const ALARMS_OPTIONS: OptionNames<LimiterAlarmsOptions> = {
  topic: true,
  topicKey: true,
  notifyWhenOver: true,
  runbookUrl: true,
  metricsNamespace: true,
  prices: true,
  failureDestination: true,
  aggregatorErrors: true,
  aggregatorDuration: true,
  iteratorAge: true,
  periodsNotSealed: true,
  sealingCutShort: true,
  booksNotChecked: true,
  readThrottles: true,
  writeThrottles: true,
  keyRangeThrottles: true,
  rejectedShare: true,
  unavailable: true,
  ledgerGaps: true,
  dailyCost: true,
  monthlyBudget: true,
};

export const DASHBOARD_OPTIONS: OptionNames<LimiterDashboardOptions> = {
  dashboardName: true,
  defaultInterval: true,
  runbookUrl: true,
  metricsNamespace: true,
  prices: true,
  callerLogGroups: true,
};
