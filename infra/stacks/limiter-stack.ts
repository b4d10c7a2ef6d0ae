import { type IRateLimiter, RateLimiter } from '@millrace/cdk';
import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Stage } from '../stage.js';

/** The limiter of one stage. */
export interface LimiterStackProps extends StackProps {
  readonly stage: Stage;
}

/** The limiter: table, aggregator and the archive of audit events. What it is called is in the outputs. */
export class LimiterStack extends Stack {
  /** For the stacks that grant its use. */
  readonly limiter: IRateLimiter;

  constructor(scope: Construct, id: string, { stage, ...props }: LimiterStackProps) {
    super(scope, id, props);
    const { keepsData, aggregatorMemoryMb } = stage;
    const limiter = new RateLimiter(this, 'Limiter', {
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      deletionProtection: keepsData,
      archiveAuditEvents: true,
      ...(aggregatorMemoryMb === undefined ? {} : { aggregator: { memorySize: aggregatorMemoryMb } }),
      tags: { stage: stage.name },
    });
    this.limiter = limiter;
    new CfnOutput(this, 'TableName', { value: limiter.tableName, description: 'For RateLimiter.open, and millrace --table' });
    new CfnOutput(this, 'AggregatorName', { value: limiter.aggregator?.handler.functionName ?? '' });
    new CfnOutput(this, 'FailureQueueUrl', { value: limiter.aggregator?.failureQueue.queueUrl ?? '' });
    new CfnOutput(this, 'AuditBucketName', { value: limiter.auditArchive?.bucket.bucketName ?? '' });
  }
}
