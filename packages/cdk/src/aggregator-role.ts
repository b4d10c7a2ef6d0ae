import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgePrefix } from './acknowledgements.js';
import { formattedName } from './name-format.js';
import { type AggregatorDuties, aggregatorPermits } from './permissions/aggregator-permits.js';
import { statementsOf } from './permissions/permit.js';
import type { PropChecks } from './prop-checks.js';
import { grantTableKey } from './table-key.js';
import type { UsageAggregatorProps } from './usage-aggregator-props.js';
import { checksLedger, sealedTypes } from './usage-sealing.js';

const PART = 'aggregator';
const DEFAULT_PREFIX = 'audit/';
const MAX_POLICY_NAME = 128;

/** What the function writes to beside the table. */
export interface AggregatorOutlets {
  readonly streamArn: string;
  readonly failureQueue: IQueue;
  readonly logGroup: ILogGroup;
}

/** The role of the function: one that is made, with exactly what the function sends, or a given one that gets the same. */
export function aggregatorRole(scope: Construct, props: UsageAggregatorProps, outlets: AggregatorOutlets, checks: PropChecks): IRole {
  const statements = statementsFor(props, outlets);
  const role = props.role ?? createRole(scope, props, statements, checks);
  if (props.role !== undefined) {
    for (const [own, isSet] of Object.entries({
      permissionsBoundary: props.permissionsBoundary !== undefined,
      roleNameFormat: props.roleNameFormat !== undefined,
      policyNameFormat: props.policyNameFormat !== undefined,
    })) {
      checks.notBoth('role', true, own, isSet, 'it is about the role that is made where none is given');
    }
    for (const statement of statements) role.addToPrincipalPolicy(statement);
  }
  if (props.table.encryptionKey !== undefined) grantTableKey(props.table.encryptionKey, role, 'writing');
  if (outlets.failureQueue.encryptionMasterKey !== undefined) {
    outlets.failureQueue.encryptionMasterKey.grant(role, 'kms:Decrypt', 'kms:GenerateDataKey');
  }
  props.auditArchive?.bucket.encryptionKey?.grant(role, 'kms:Decrypt', 'kms:GenerateDataKey');
  return role;
}

function createRole(scope: Construct, props: UsageAggregatorProps, statements: PolicyStatement[], checks: PropChecks): Role {
  const [roleFormat, policyFormat] = [props.roleNameFormat, props.policyNameFormat];
  const policyName =
    formattedName(checks, scope, {
      prop: 'policyNameFormat',
      format: policyFormat,
      part: PART,
      most: MAX_POLICY_NAME,
      isWithinRole: true,
    }) ?? 'UsageAggregator';
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    description: `Keeps the usage ledger of ${scope.node.path}`,
    roleName: formattedName(checks, scope, { prop: 'roleNameFormat', format: roleFormat, part: PART }),
    permissionsBoundary: props.permissionsBoundary,
    inlinePolicies: { [policyName]: new PolicyDocument({ statements }) },
  });
  const reason = 'DynamoDB lists streams, and X-Ray takes traces, under no narrower name.';
  acknowledge(role, 'IAM5[Resource::*]', reason);
  if (props.auditArchive !== undefined) {
    const why = 'Each audit event is an object of its own, whose name nobody knows before.';
    acknowledgePrefix(role, props.auditArchive.bucket, props.auditPrefix ?? DEFAULT_PREFIX, why);
  }
  return role;
}

function dutiesOf(props: UsageAggregatorProps): AggregatorDuties {
  return { watchesThresholds: props.thresholdPercent !== undefined, seals: sealedTypes(props).length > 0, checks: checksLedger(props) };
}

/** Exactly what the function sends, each action with why it is there. */
function statementsFor(props: UsageAggregatorProps, { streamArn, failureQueue, logGroup }: AggregatorOutlets): PolicyStatement[] {
  const { table, thresholdEventBus, auditArchive, auditPrefix = DEFAULT_PREFIX, tracing = false } = props;
  const allow = (actions: string[], ...resources: string[]) => new PolicyStatement({ actions, resources });
  const statements = [
    ...statementsOf(aggregatorPermits(dutiesOf(props)), table.tableArn),
    // Lambda reads the stream in the role's name, and creates no mapping without all four.
    allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArn),
    allow(['dynamodb:ListStreams'], '*'),
    allow(['sqs:SendMessage'], failureQueue.queueArn),
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn),
  ];
  if (auditArchive !== undefined) statements.push(allow(['s3:PutObject'], auditArchive.bucket.arnForObjects(`${auditPrefix}*`)));
  if (thresholdEventBus !== undefined) statements.push(allow(['events:PutEvents'], thresholdEventBus.eventBusArn));
  if (tracing) statements.push(allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], '*'));
  return statements;
}
