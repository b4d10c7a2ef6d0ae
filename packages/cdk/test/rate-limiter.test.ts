import { AuditArchive, RateLimiter, type RateLimiterProps, TableBilling } from '@millrace/cdk';
import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { mistakesOf, newStack, templateOf } from './synth.js';

const limiterWith = (props?: RateLimiterProps): Template => templateOf((stack) => new RateLimiter(stack, 'Limiter', props));
const UNWATCHED: RateLimiterProps = { alarming: false, charting: false };
const serviceIn = (stack: Stack): Role => new Role(stack, 'Service', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });

const serviceOf = (stack: Stack): Role => (stack.node.tryFindChild('Service') as Role | undefined) ?? serviceIn(stack);

describe('a limiter', () => {
  it('is a table and an aggregator on its stream, without props', () => {
    const template = limiterWith();

    template.resourceCountIs('AWS::DynamoDB::Table', 1);
    template.resourceCountIs('AWS::S3::Bucket', 0);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^LimiterTable'), 'StreamArn'] },
    });
  });

  it('hands the props of the table on to it', () => {
    limiterWith({
      tableName: 'limits',
      billing: TableBilling.onDemand({ maxWriteRequestUnits: 1_000 }),
      deletionProtection: true,
      removalPolicy: RemovalPolicy.DESTROY,
    }).hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: { TableName: 'limits', OnDemandThroughput: { MaxWriteRequestUnits: 1_000 }, DeletionProtectionEnabled: true },
    });
  });

  it('hands the props of the aggregator on to it, with the boundary and the names of all roles', () => {
    const template = templateOf((stack) => {
      const permissionsBoundary = ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'corp');
      new RateLimiter(stack, 'Limiter', { aggregator: { memorySize: 512 }, permissionsBoundary, roleNameFormat: 'corp-{}' });
    });

    template.hasResourceProperties('AWS::Lambda::Function', { MemorySize: 512 });
    template.hasResourceProperties('AWS::IAM::Role', { RoleName: 'corp-Stack-aggregator', PermissionsBoundary: Match.anyValue() });
  });

  it('leaves a given role of the function without them', () => {
    const build = (stack: Stack) =>
      new RateLimiter(stack, 'Limiter', { aggregator: { role: serviceIn(stack) }, roleNameFormat: 'corp-{}' });

    expect(mistakesOf(build)).toEqual([]);
    templateOf(build).resourceCountIs('AWS::IAM::Role', 1);
  });

  it('can do without the function: then nothing runs, and nothing waits to', () => {
    const stack = newStack();
    const limiter = new RateLimiter(stack, 'Limiter', { usageAggregation: false, ...UNWATCHED });

    expect(limiter.aggregator).toBeUndefined();
    const types = Object.values(Template.fromStack(stack).toJSON()['Resources'] as Record<string, { Type: string }>).map(
      ({ Type: type }) => type,
    );
    expect(types).toEqual(['AWS::DynamoDB::Table']);
  });

  it('archives audit events with the key of its table, and keeps them as it is kept', () => {
    const template = limiterWith({ archiveAuditEvents: true, encryption: TableEncryption.CUSTOMER_MANAGED });

    template.resourceCountIs('AWS::KMS::Key', 1);
    template.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      Properties: { BucketEncryption: { ServerSideEncryptionConfiguration: [Match.objectLike({ BucketKeyEnabled: true })] } },
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ MILLRACE_AUDIT_BUCKET: { Ref: Match.stringLikeRegexp('AuditArchive') } }) },
    });
  });

  it('tags all its parts, those of the key and the archive, too', () => {
    const tag = { Key: 'team', Value: 'platform' };
    const template = limiterWith({ archiveAuditEvents: true, encryption: TableEncryption.CUSTOMER_MANAGED, tags: { team: 'platform' } });

    for (const type of ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::S3::Bucket', 'AWS::Lambda::Function', 'AWS::Logs::LogGroup']) {
      template.hasResourceProperties(type, { Tags: Match.arrayWith([tag]) });
    }
  });

  it('leaves no warning behind: a strict synth goes on', () => {
    const stack = newStack();
    new RateLimiter(stack, 'Limiter', {
      archiveAuditEvents: true,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      aggregator: { tracing: true },
    });

    expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
  });

  it('tells what does not go together, and what its parts have to say, at once', () => {
    const told = mistakesOf((stack) => {
      new RateLimiter(stack, 'Without', {
        usageAggregation: false,
        archiveAuditEvents: true,
        alarming: false,
        alarms: {},
        charting: false,
        dashboard: {},
        aggregator: { auditArchive: new AuditArchive(stack, 'Archive') },
      });
      new RateLimiter(stack, 'With', { tableName: '!', aggregator: { memorySize: 1 } });
    });

    const leftOut = 'it is the function that usageAggregation: false leaves out';
    expect(told.sort()).toEqual([
      `aggregator and usageAggregation: false must not both be set: ${leftOut}`,
      'alarms and alarming: false must not both be set: they are what it leaves out',
      'archiveAuditEvents and aggregator.auditArchive must not both be set: each is an archive',
      `archiveAuditEvents and usageAggregation: false must not both be set: ${leftOut}`,
      'dashboard and charting: false must not both be set: it is what that leaves out',
      'memorySize must be a whole number from 128 to 3008, got: 1',
      "tableName must be 3 to 255 letters, digits, _, . or -, got: '!'",
    ]);
  });
});

describe('what watches a limiter', () => {
  it('is there without props: alarms on table and function that tell one topic, and a dashboard that shows them', () => {
    const stack = newStack();
    const { alarms, dashboard, aggregator } = new RateLimiter(stack, 'Limiter');

    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::SNS::Topic', 1);
    template.resourceCountIs('AWS::CloudWatch::Alarm', alarms?.alarms.length ?? 0);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Dimensions: [{ Name: 'FunctionName', Value: stack.resolve(aggregator?.handler.functionName) }],
      AlarmActions: [stack.resolve(alarms?.topic.topicArn)],
    });
    const metricsOf = ({ Metrics: metrics }: { Metrics?: { MetricStat?: object }[] }): number =>
      metrics?.filter(({ MetricStat: stat }) => stat !== undefined).length ?? 1;
    const looksAt = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties: alarm }) => metricsOf(alarm));
    // By which they cost what the README says.
    expect([looksAt.length, looksAt.reduce((sum, metrics) => sum + metrics, 0)]).toEqual([14, 28]);
    expect(stack.resolve(dashboard?.dashboard.dashboardName)).toMatchObject({ Ref: expect.stringMatching(/^LimiterDashboard/) });
    expect(JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard'))).toContain('"LimiterAlarmsDailyCost');
  });

  it('has the props that are given', () => {
    const template = limiterWith({ alarms: { dailyCost: { threshold: 3 } }, dashboard: { dashboardName: 'limits' } });

    template.hasResourceProperties('AWS::CloudWatch::Alarm', { Threshold: 3, AlarmDescription: Match.stringLikeRegexp('^Daily cost') });
    template.hasResourceProperties('AWS::CloudWatch::Dashboard', { DashboardName: 'limits' });
  });

  it('can be left out, each for itself', () => {
    const withoutAlarms = limiterWith({ alarming: false });
    withoutAlarms.resourceCountIs('AWS::CloudWatch::Alarm', 0);
    withoutAlarms.resourceCountIs('AWS::SNS::Topic', 0);
    withoutAlarms.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    const withoutDashboard = limiterWith({ charting: false });
    withoutDashboard.hasResource('AWS::CloudWatch::Alarm', {});
    withoutDashboard.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  });

  it('looks at a table alone where there is no function', () => {
    const stack = newStack();
    new RateLimiter(stack, 'Limiter', { usageAggregation: false });

    expect(JSON.stringify(Template.fromStack(stack).toJSON())).not.toContain('AWS/Lambda');
  });
});

describe('grants', () => {
  it('reach the table and its key, for writing where it is written', () => {
    const stack = newStack();
    const limiter = new RateLimiter(stack, 'Limiter', { encryptionKey: new Key(stack, 'Mine'), usageAggregation: false, ...UNWATCHED });

    limiter.grantAcquire(serviceIn(stack)).assertSuccess();
    limiter.grantRead(new Role(stack, 'Reader', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') })).assertSuccess();

    const policyOf = (role: string) => ({ Roles: [{ Ref: Match.stringLikeRegexp(`^${role}`) }] });
    const template = Template.fromStack(stack);
    const key = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Mine'), 'Arn'] };
    const writing = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo', 'kms:GenerateDataKey'];
    template.hasResourceProperties('AWS::IAM::Policy', {
      ...policyOf('Service'),
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: writing, Resource: key })]) },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      ...policyOf('Reader'),
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: ['kms:Decrypt', 'kms:DescribeKey'], Resource: key })]) },
    });
  });

  it('of a namespace are fenced by what keys begin with, all eight apart from each other', () => {
    const stack = newStack();
    const limiter = new RateLimiter(stack, 'Limiter', { usageAggregation: false, ...UNWATCHED });

    for (const use of ['Acquire', 'RecordUsage', 'Read', 'Admin'] as const) {
      const role = (name: string) => new Role(stack, name, { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
      limiter[`grant${use}`](role(`${use}Everywhere`)).assertSuccess();
      limiter[`grant${use}ForNamespace`](role(`${use}Fenced`), 'n1').assertSuccess();
    }

    const policies = Object.entries(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
    expect(policies).toHaveLength(8);
    const fenced = policies
      .filter(([, policy]) => JSON.stringify(policy).includes('"n1/'))
      .map(([name]) => name.replace(/FencedDefault.*/, ''));
    expect(fenced.sort()).toEqual(['Acquire', 'Admin', 'Read', 'RecordUsage']);
    expect(
      new Set(
        policies.map(
          ([
            ,
            {
              Properties: { PolicyDocument: document },
            },
          ]) => JSON.stringify(document),
        ),
      ).size,
    ).toBe(8);
  });

  it('of a namespace are not given without one: a missing id would open all of them', () => {
    const stack = newStack();
    const limiter = new RateLimiter(stack, 'Limiter', { usageAggregation: false, ...UNWATCHED });

    for (const use of ['Acquire', 'RecordUsage', 'Read', 'Admin'] as const) {
      for (const missing of [undefined, null, ''] as unknown as string[]) {
        expect(() => limiter[`grant${use}ForNamespace`](serviceOf(stack), missing)).toThrow(/namespaceId must be the id of a namespace/);
      }
    }
    Template.fromStack(stack).resourceCountIs('AWS::IAM::Policy', 0);
  });
});
