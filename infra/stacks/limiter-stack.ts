import { type IRateLimiter, LimitsManifest, ManifestSource, RateLimiter } from '@millrace/cdk';
import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Stage } from '../stage.js';

/** The limiter of one stage. */
export interface LimiterStackProps extends StackProps {
  readonly stage: Stage;
}

/** The limiter: table, aggregator, archive of audit events, limits, alarms and dashboard. What they are called is in the outputs. */
export class LimiterStack extends Stack {
  /** For the stacks that grant its use. */
  readonly limiter: IRateLimiter;

  constructor(scope: Construct, id: string, { stage, ...props }: LimiterStackProps) {
    super(scope, id, props);
    const { keepsData, aggregatorMemoryMb, limitsFile, runbookUrl } = stage;
    const runbook = runbookUrl === undefined ? {} : { alarms: { runbookUrl }, dashboard: { runbookUrl } };
    const limiter = new RateLimiter(this, 'Limiter', {
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      deletionProtection: keepsData,
      archiveAuditEvents: true,
      ...(aggregatorMemoryMb === undefined ? {} : { aggregator: { memorySize: aggregatorMemoryMb } }),
      ...runbook,
      tags: { stage: stage.name },
    });
    this.limiter = limiter;
    // Also registers namespace `default`, in which the limits are.
    const limits = new LimitsManifest(this, 'Limits', { limiter, source: ManifestSource.fromFile(limitsFile), prune: true });
    new CfnOutput(this, 'TableName', { value: limiter.tableName, description: 'For RateLimiter.open, and millrace --table' });
    new CfnOutput(this, 'AggregatorName', { value: limiter.aggregator?.handler.functionName ?? '' });
    new CfnOutput(this, 'LimitsFunctionName', { value: limits.handler.functionName, description: 'Tells of drift: see the README' });
    new CfnOutput(this, 'FailureQueueUrl', { value: limiter.aggregator?.failureQueue.queueUrl ?? '' });
    new CfnOutput(this, 'AlarmTopicArn', { value: limiter.alarms?.topic.topicArn ?? '', description: 'Subscribe whoever shall be told' });
    new CfnOutput(this, 'AuditBucketName', { value: limiter.auditArchive?.bucket.bucketName ?? '' });
  }
}
