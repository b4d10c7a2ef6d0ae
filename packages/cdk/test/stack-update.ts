import type { Template } from 'aws-cdk-lib/assertions';

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/**
 * What CloudFormation cannot change of a resource: it makes another one, and deletes the former or leaves it behind. As AWS's
 * specification of resources has it ("Update requires: Replacement"), which `cdk diff` reads, too.
 */
const REPLACING: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApplicationAutoScaling::ScalableTarget': ['ResourceId', 'ScalableDimension', 'ServiceNamespace'],
  'AWS::ApplicationAutoScaling::ScalingPolicy': ['PolicyName', 'ResourceId', 'ScalableDimension', 'ScalingTargetId', 'ServiceNamespace'],
  'AWS::Budgets::Budget': ['NotificationsWithSubscribers'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::CloudWatch::InsightRule': ['RuleName'],
  'AWS::DynamoDB::Table': ['ImportSourceSpecification', 'KeySchema', 'LocalSecondaryIndexes', 'TableName'],
  'AWS::Events::Rule': ['EventBusName', 'Name'],
  'AWS::IAM::ManagedPolicy': ['Description', 'ManagedPolicyName', 'Path'],
  'AWS::IAM::Policy': [],
  'AWS::IAM::Role': ['Path', 'RoleName'],
  'AWS::KMS::Key': [],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'StartingPosition', 'StartingPositionTimestamp'],
  'AWS::Lambda::Function': ['FunctionName', 'PackageType'],
  'AWS::Lambda::Permission': ['Action', 'FunctionName', 'Principal', 'SourceAccount', 'SourceArn'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
  'AWS::S3::BucketPolicy': ['Bucket'],
  'AWS::SNS::Topic': ['FifoTopic', 'TopicName'],
  'AWS::SNS::TopicPolicy': [],
  'AWS::SQS::Queue': ['FifoQueue', 'QueueName'],
  'AWS::SQS::QueuePolicy': [],
};

/** What holds something that no deployment brings back: items, objects, messages, lines, subscriptions, what a key has encrypted. */
const HOLDERS = [
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
] as const;

/**
 * What becomes of a stack's resources when it is updated from one template to another: `replaces <id> (<properties>)` for any of
 * them, `removes <id>` and `adds <id>` for those that hold something. Ids are without their hashes.
 */
export function updateOf(before: Template, after: Template): string[] {
  const [former, latter] = [resourcesIn(before), resourcesIn(after)];
  const replaced = new Map<string, string[]>();
  // What is replaced has another name or ARN, so that what cannot change where those are in it is replaced with it.
  for (let known = -1; known < replaced.size; ) {
    known = replaced.size;
    for (const [id, resource] of latter) {
      const properties = replacedBy(former.get(id), resource, [...replaced.keys()]);
      if (properties.length > 0) replaced.set(id, properties);
    }
  }
  return [
    ...[...replaced].map(([id, properties]) => `replaces ${shortened(id)} (${properties.join(', ')})`),
    ...heldOnlyIn(former, latter).map((id) => `removes ${id}`),
    ...heldOnlyIn(latter, former).map((id) => `adds ${id}`),
  ].sort();
}

/** The ids of all resources, with their types. */
export function idsIn(template: Template): string[] {
  return [...resourcesIn(template)].map(([id, { Type }]) => `${id} ${Type}`).sort();
}

function resourcesIn(template: Template): ReadonlyMap<string, Resource> {
  return new Map(Object.entries(template.toJSON()['Resources'] as Record<string, Resource>));
}

function replacedBy(former: Resource | undefined, latter: Resource, others: readonly string[]): string[] {
  if (former === undefined) return [];
  const fixed = REPLACING[latter.Type];
  if (fixed === undefined) throw new Error(`say which properties of ${latter.Type} cannot be changed`);
  return fixed.filter((property) => {
    const [was, is] = [former, latter].map(({ Properties }) => JSON.stringify(Properties?.[property]) ?? '');
    return was !== is || others.some((id) => is?.includes(`"${id}"`));
  });
}

function heldOnlyIn(here: ReadonlyMap<string, Resource>, there: ReadonlyMap<string, Resource>): string[] {
  return [...here].filter(([id, { Type }]) => HOLDERS.some((type) => type === Type) && !there.has(id)).map(([id]) => shortened(id));
}

function shortened(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}
