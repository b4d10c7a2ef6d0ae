import { AuditArchive, LimiterTable, type LimiterTableProps, UsageAggregator, type UsageAggregatorOptions } from '@millrace/cdk';
import type { Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { aggregatorPermits } from '../src/permissions/aggregator-permits.js';
import { statementsOf } from '../src/permissions/permit.js';
import { jsonOf, TABLE_ARN } from './iam-judge.js';
import { mistakesOf, onlyOne, templateOf } from './synth.js';

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

const build =
  (optionsIn: (stack: Stack) => UsageAggregatorOptions = () => ({}), table: LimiterTableProps = {}) =>
  (stack: Stack) =>
    new UsageAggregator(stack, 'Usage', { ...optionsIn(stack), table: new LimiterTable(stack, 'Table', table).table });

/** Every action that a template's roles and policies allow, with where: `action @ resource`. */
function allowed(template: Template): string[] {
  const inRoles = Object.values(template.findResources('AWS::IAM::Role')).flatMap(({ Properties: role }) => role.Policies ?? []);
  const apart = Object.values(template.findResources('AWS::IAM::Policy')).map(({ Properties: policy }) => policy);
  const statements = [...inRoles, ...apart].flatMap(({ PolicyDocument: document }) => document.Statement as Statement[]);
  return statements
    .flatMap(({ Action: actions, Resource: resource }) => [actions].flat().map((action) => `${action} @ ${nameOf(resource)}`))
    .sort();
}

function nameOf(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const { 'Fn::GetAtt': attribute, 'Fn::Join': joined } = resource as { 'Fn::GetAtt'?: string[]; 'Fn::Join'?: [string, unknown[]] };
  if (attribute !== undefined) return `${attribute[0]?.replace(/[0-9A-F]{8}$/, '')}.${attribute[1]}`;
  return (joined?.[1] ?? [JSON.stringify(resource)]).map((part) => nameOf(part)).join('');
}

const SEALING = [
  'dynamodb:BatchGetItem @ Table.Arn',
  'dynamodb:BatchWriteItem @ Table.Arn',
  'dynamodb:PutItem @ Table.Arn',
  'dynamodb:Query @ Table.Arn',
  'dynamodb:Query @ Table.Arn/index/windows',
];
const UNSEALED = [
  'dynamodb:DescribeStream @ Table.StreamArn',
  'dynamodb:GetItem @ Table.Arn',
  'dynamodb:GetRecords @ Table.StreamArn',
  'dynamodb:GetShardIterator @ Table.StreamArn',
  'dynamodb:ListStreams @ *',
  'dynamodb:UpdateItem @ Table.Arn',
  'logs:CreateLogStream @ UsageLogs.Arn',
  'logs:PutLogEvents @ UsageLogs.Arn',
  'sqs:SendMessage @ UsageFailures.Arn',
];
const CHECKING = ['BatchGetItem', 'DeleteItem', 'PutItem', 'Query'].map((action) => `dynamodb:${action} @ Table.Arn`);
const UNCHECKED = [...SEALING, ...UNSEALED].sort();
const ALWAYS = [...UNCHECKED, ...CHECKING].sort();

describe('the role of the function', () => {
  it('may do exactly what the function does', () => {
    const template = templateOf(build());

    expect(allowed(template)).toEqual(ALWAYS);
    expect(onlyOne(template, 'AWS::IAM::Role')['ManagedPolicyArns']).toBeUndefined();
  });

  it('may do on the table what the function was recorded to send, on those keys, and nothing without a fence', () => {
    const { Policies: policies } = onlyOne(templateOf(build()), 'AWS::IAM::Role') as {
      Policies: [{ PolicyDocument: { Statement: (Statement & { Condition?: object })[] } }];
    };

    const onTable = policies[0].PolicyDocument.Statement.filter(({ Resource }) => /^Table[.]Arn/.test(nameOf(Resource)));
    const recorded = jsonOf(statementsOf(aggregatorPermits({ watchesThresholds: false, seals: true, checks: true }), TABLE_ARN));
    expect(onTable).toMatchObject(recorded.map(({ Action, Condition }) => ({ Action, Condition })));
    for (const { Condition } of onTable) expect(Condition).toMatchObject({ 'ForAllValues:StringLike': expect.anything() });
  });

  it('may seal only where something is sealed', () => {
    expect(allowed(templateOf(build(() => ({ sealing: false }))))).toEqual(UNSEALED);
  });

  it('may check the ledger only where it is checked', () => {
    expect(allowed(templateOf(build(() => ({ seals: { checkLedger: false } }))))).toEqual(UNCHECKED);
  });

  it('may read limits and usage where a threshold is watched, and tell it to one bus', () => {
    const options = (stack: Stack) => ({ sealing: false, thresholdPercent: 80, thresholdEventBus: new EventBus(stack, 'Bus') });

    const more = ['dynamodb:BatchGetItem @ Table.Arn', 'dynamodb:Query @ Table.Arn', 'events:PutEvents @ Bus.Arn'];
    expect(allowed(templateOf(build(options)))).toEqual([...UNSEALED, ...more].sort());
  });

  it('may write events under their prefix, and read none', () => {
    const options = (stack: Stack) => ({ auditArchive: new AuditArchive(stack, 'Archive'), auditPrefix: 'limits/' });

    expect(allowed(templateOf(build(options)))).toEqual([...ALWAYS, 's3:PutObject @ Archive.Arn/limits/*'].sort());
  });

  it('may tell traces', () => {
    const traces = ['xray:PutTelemetryRecords @ *', 'xray:PutTraceSegments @ *'];

    expect(new Set(allowed(templateOf(build(() => ({ tracing: true })))))).toEqual(new Set([...ALWAYS, ...traces]));
  });

  it('may use the keys of the table, the archive and the queue', () => {
    const options = (stack: Stack) => ({
      auditArchive: new AuditArchive(stack, 'Archive', { encryptionKey: new Key(stack, 'OfArchive') }),
      failureQueue: new Queue(stack, 'Mine', { encryptionMasterKey: new Key(stack, 'OfQueue') }),
    });

    const found = allowed(templateOf(build(options, { encryption: TableEncryption.CUSTOMER_MANAGED })));

    const key = (name: string, ...actions: string[]) => actions.map((action) => `kms:${action} @ ${name}.Arn`);
    expect(found.filter((line) => line.startsWith('kms:'))).toEqual(
      [
        ...key('OfArchive', 'Decrypt', 'GenerateDataKey'),
        ...key('OfQueue', 'Decrypt', 'GenerateDataKey'),
        ...key('TableKey', 'Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'),
      ].sort(),
    );
  });

  it('is named as the house wants it, within its boundary', () => {
    const template = templateOf(
      build((stack) => ({
        roleNameFormat: 'corp-{}-role',
        policyNameFormat: 'corp-{}-policy',
        permissionsBoundary: ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'corp-boundary'),
      })),
    );

    template.hasResourceProperties('AWS::IAM::Role', {
      RoleName: 'corp-Stack-aggregator-role',
      Policies: [Match.objectLike({ PolicyName: 'corp-Stack-aggregator-policy' })],
      PermissionsBoundary: { 'Fn::Join': ['', Match.arrayWith([':policy/corp-boundary'])] },
    });
  });

  it('is not named by a format that makes no name', () => {
    const told = mistakesOf(build(() => ({ roleNameFormat: `${'x'.repeat(50)}-{}`, policyNameFormat: 'no place' })));

    expect(told).toEqual([
      "policyNameFormat must hold {} once, beside letters, digits and +=,.@_-, got: 'no place'",
      `roleNameFormat makes the name '${'x'.repeat(50)}-Stack-aggregator', which must have at most 64 characters, got: 67`,
    ]);
  });
});

describe('a given role', () => {
  const given = (stack: Stack) => ({ role: new Role(stack, 'Given', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }) });

  it('gets what the one that is made would have, before Lambda tries it', () => {
    const template = templateOf(build(given));

    template.resourceCountIs('AWS::IAM::Role', 1);
    expect(allowed(template)).toEqual(ALWAYS);
    const [policy] = Object.keys(template.findResources('AWS::IAM::Policy'));
    const [fn] = Object.keys(template.findResources('AWS::Lambda::Function'));
    template.hasResource('AWS::Lambda::Function', { DependsOn: Match.arrayWith([policy]) });
    template.hasResource('AWS::Lambda::EventSourceMapping', { DependsOn: Match.arrayWith([fn]) });
  });

  it('is left alone where this stack must not change it', () => {
    const arn = 'arn:aws:iam::123456789012:role/theirs';
    const template = templateOf(build((stack) => ({ role: Role.fromRoleArn(stack, 'Theirs', arn, { mutable: false }) })));

    template.resourceCountIs('AWS::IAM::Role', 0);
    template.resourceCountIs('AWS::IAM::Policy', 0);
    template.hasResourceProperties('AWS::Lambda::Function', { Role: arn });
  });

  it('has a name and a boundary already', () => {
    const told = mistakesOf(
      build((stack) => ({
        ...given(stack),
        roleNameFormat: '{}',
        policyNameFormat: '{}',
        permissionsBoundary: ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'corp-boundary'),
      })),
    );

    const why = 'must not both be set: it is about the role that is made where none is given';
    expect(told).toEqual([`role and permissionsBoundary ${why}`, `role and roleNameFormat ${why}`, `role and policyNameFormat ${why}`]);
  });
});
