import {
  AccessPolicies,
  type AccessPoliciesProps,
  AccessRoles,
  type AccessRolesProps,
  AuditArchive,
  type AuditArchiveProps,
  LimiterAlarms,
  type LimiterAlarmsProps,
  LimiterDashboard,
  type LimiterDashboardProps,
  LimiterTable,
  type LimiterTableProps,
  LimitRate,
  LimitsManifest,
  type LimitsManifestProps,
  LoadRig,
  type LoadRigProps,
  ManifestSource,
  NamespaceId,
  RateLimiter,
  type RateLimiterProps,
  TableBilling,
  UnavailableAction,
  UsageAggregator,
  type UsageAggregatorOptions,
  type UsageAggregatorProps,
} from '@millrace/cdk';
import { type App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ContributorInsightsMode, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { AccountRootPrincipal, ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { acknowledge, acknowledgePrefix } from '../src/acknowledgements.js';
import { charting, counting, type Every, keyIn, ON_DEMAND, PROVISIONED, TAGS, watching } from './every-option.js';
import { rigAssets } from './rig-assets.js';

const ENV = { account: '123456789012', region: 'us-east-1' };
const BOUNDARY = 'Boundary';

/** Stacks in which every prop of every construct is set, for those who judge templates. What excludes each other is in two of them. */
export function everyProp(app: App): void {
  whole(new Stack(app, 'Whole', { env: ENV }));
  parts(new Stack(app, 'Parts', { env: ENV }));
  limits(new Stack(app, 'Limits', { env: ENV }));
  access(new Stack(app, 'Access', { env: ENV }));
  // Of no region: a network asks for the zones of the one that it is told.
  load(new Stack(app, 'Load'));
}

const boundaryIn = (stack: Stack) => ManagedPolicy.fromManagedPolicyName(stack, BOUNDARY, 'developers');
const elsewhere = (stack: Stack) =>
  RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits', encryptionKey: keyIn(stack, 'TableKey') });

/** All of it by the one construct: capacity of its own, a key of its own, names and boundaries. */
function whole(stack: Stack): void {
  const aggregator: Every<UsageAggregatorOptions, 'role' | 'auditArchive'> = {
    ...counting(stack, 'whole'),
    permissionsBoundary: boundaryIn(stack),
    roleNameFormat: 'platform-{}',
    policyNameFormat: 'platform-{}',
  };
  const props: Every<RateLimiterProps> = {
    tableName: 'limits',
    billing: TableBilling.provisioned(PROVISIONED),
    encryption: TableEncryption.CUSTOMER_MANAGED,
    encryptionKey: keyIn(stack, 'Key'),
    pointInTimeRecovery: true,
    recoveryPeriod: Duration.days(7),
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
    contributorInsights: ContributorInsightsMode.THROTTLED_KEYS,
    tags: TAGS,
    usageAggregation: true,
    aggregator,
    archiveAuditEvents: true,
    alarming: true,
    alarms: watching(stack, 'Whole'),
    charting: true,
    dashboard: charting(stack, 'whole'),
    permissionsBoundary: aggregator.permissionsBoundary,
    roleNameFormat: 'platform-{}',
    policyNameFormat: 'platform-{}',
  };
  new RateLimiter(stack, 'Limiter', props);
}

/** Each part on its own: a table with bounds on demand, an archive with a lock, a function with somebody else's role. */
function parts(stack: Stack): void {
  const tableProps: Every<LimiterTableProps, 'encryptionKey' | 'recoveryPeriod'> = {
    tableName: 'parts',
    billing: TableBilling.onDemand(ON_DEMAND),
    encryption: TableEncryption.AWS_MANAGED,
    pointInTimeRecovery: false,
    deletionProtection: false,
    removalPolicy: RemovalPolicy.DESTROY,
    contributorInsights: ContributorInsightsMode.ACCESSED_AND_THROTTLED_KEYS,
    tags: TAGS,
  };
  const { table } = new LimiterTable(stack, 'Table', tableProps);
  acknowledge(table, 'DDB3', 'This table can be made again: it is the one without recovery.');
  const accessLogBucket = new Bucket(stack, 'AccessLogs', { enforceSSL: true, blockPublicAccess: BlockPublicAccess.BLOCK_ALL });
  acknowledge(accessLogBucket, 'S1', 'It is where access is logged to.');
  const archiveProps: Every<AuditArchiveProps> = {
    bucketName: 'platform-audit-events',
    encryptionKey: keyIn(stack, 'ArchiveKey'),
    expiration: Duration.days(3_650),
    archiveAfter: Duration.days(90),
    objectLock: ObjectLockRetention.governance(Duration.days(365)),
    accessLogBucket,
    removalPolicy: RemovalPolicy.RETAIN,
  };
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  acknowledge(role, 'IAM5[Resource::*]', 'What lists streams and takes traces knows no resources.');
  const aggregatorProps: Every<UsageAggregatorProps, 'permissionsBoundary' | 'roleNameFormat' | 'policyNameFormat'> = {
    ...counting(stack, 'parts'),
    table,
    role,
    auditArchive: new AuditArchive(stack, 'Archive', archiveProps),
  };
  acknowledgePrefix(role, aggregatorProps.auditArchive.bucket, 'events/', 'The role is not of the construct, which notes it for its own.');
  const aggregator = new UsageAggregator(stack, 'Usage', aggregatorProps);
  const alarmProps: Every<LimiterAlarmsProps> = { ...watching(stack, 'Parts'), table, aggregator };
  const alarms = new LimiterAlarms(stack, 'Alarms', alarmProps);
  const boardProps: Every<LimiterDashboardProps> = { ...charting(stack, 'parts'), table, aggregator, alarms };
  new LimiterDashboard(stack, 'Dashboard', boardProps);
}

/** Limits by props, in all namespaces and by a role that is made; and as YAML, within one namespace and by a given role. */
function limits(stack: Stack): void {
  const shared = {
    limiter: elsewhere(stack),
    prune: true,
    removalPolicy: RemovalPolicy.DESTROY,
    timeout: Duration.minutes(2),
    memorySize: 512,
    logRetention: RetentionDays.ONE_DAY,
  };
  const rates = [LimitRate.perMinute('rpm', 60), LimitRate.of({ name: 'tpm', tokens: 100, period: Duration.seconds(10), capacity: 900 })];
  const byProps: Every<LimitsManifestProps, 'source' | 'role' | 'namespaceId'> = {
    ...shared,
    manifestName: 'models',
    namespace: 'tenant-a',
    registerNamespace: true,
    system: rates,
    onUnavailable: UnavailableAction.ALLOW,
    resources: [{ resource: 'gpt-4', limits: rates }],
    entities: [{ entity: 'key-1', limits: rates, resources: [{ resource: 'gpt-4', limits: rates }] }],
    permissionsBoundary: boundaryIn(stack),
    roleNameFormat: 'platform-{}',
  };
  new LimitsManifest(stack, 'Props', byProps);
  const source = ManifestSource.fromYaml('name: tenants\nnamespace: tenant-b\nresources: { gpt-4: [rpm:500/min] }');
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  new LimitsManifest(stack, 'Yaml', { ...shared, source, role, namespaceId: '0123456789ab' });
}

/** Policies and roles, for all namespaces, for one, and for the one that a tag names. */
function access(stack: Stack): void {
  const limiter = elsewhere(stack);
  const fences = { All: undefined, One: '0123456789ab', Tagged: NamespaceId.fromPrincipalTag('tenant') };
  for (const [id, namespaceId] of Object.entries(fences)) {
    const policies: Every<AccessPoliciesProps, 'namespaceId'> = { limiter, recordUsage: true, policyNameFormat: `${id}-{}` };
    new AccessPolicies(stack, `${id}Policies`, { ...policies, namespaceId });
    const roles: Every<AccessRolesProps, 'namespaceId'> = {
      limiter,
      assumedBy: new AccountRootPrincipal().withSessionTags(),
      recordUsage: true,
      permissionsBoundary: ManagedPolicy.fromManagedPolicyName(stack, `${id}${BOUNDARY}`, 'developers'),
      roleNameFormat: `${id}-{}`,
      maxSessionDuration: Duration.hours(4),
    };
    new AccessRoles(stack, `${id}Roles`, { ...roles, namespaceId });
  }
}

/** A rig in a network of somebody's. */
function load(stack: Stack): void {
  const vpc = new Vpc(stack, 'Vpc', {
    maxAzs: 1,
    natGateways: 1,
    restrictDefaultSecurityGroup: false,
    subnetConfiguration: [
      { name: 'public', subnetType: SubnetType.PUBLIC },
      { name: 'private', subnetType: SubnetType.PRIVATE_WITH_EGRESS },
    ],
  });
  acknowledge(vpc, 'VPC7', 'The network is not of the rig, but of whoever runs it.');
  const props: Every<LoadRigProps> = {
    limiter: elsewhere(stack),
    workerAssets: rigAssets(),
    architecture: Architecture.X86_64,
    lambdaWorkers: true,
    lambdaMemoryMb: 1_024,
    lambdaReservedConcurrency: 5,
    fargateWorkers: true,
    fargateCpu: 2_048,
    fargateMemoryMb: 4_096,
    spot: false,
    image: ContainerImage.fromRegistry('public.ecr.aws/platform/k6:1'),
    vpc,
    dynamoEndpoint: true,
    logRetention: RetentionDays.ONE_DAY,
    removalPolicy: RemovalPolicy.DESTROY,
    permissionsBoundary: boundaryIn(stack),
    roleNameFormat: 'platform-{}',
    tags: TAGS,
  };
  new LoadRig(stack, 'Rig', props);
}
