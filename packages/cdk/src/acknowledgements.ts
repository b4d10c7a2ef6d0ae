import { Stack, Validations } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IConstruct } from 'constructs';

/**
 * Notes for cdk-nag and its like what they find and cannot be otherwise, with the reason, so that every user need not
 * find it out. Nothing is noted that a prop could mend, unless the reason names the prop.
 */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions-${id}`, reason });
}

/** Notes that a role may write any object under a prefix of a bucket. Only the bucket's own stack knows how it is called. */
export function acknowledgePrefix(role: IConstruct, bucket: IBucket, prefix: string, reason: string): void {
  const resource = bucket.node.defaultChild;
  if (resource === undefined || Stack.of(bucket) !== Stack.of(role)) return;
  const name = Stack.of(bucket).getLogicalId(resource as Parameters<Stack['getLogicalId']>[0]);
  acknowledge(role, `IAM5[Resource::<${name}.Arn>/${prefix}*]`, reason);
}
