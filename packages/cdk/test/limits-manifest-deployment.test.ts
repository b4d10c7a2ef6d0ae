import { LimitsManifest, RateLimiter } from '@millrace/cdk';
import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { build, FEW, propertiesOf, TYPE } from './limits-manifest-stack.js';
import { mistakesOf, newStack, templateOf } from './synth.js';

/** The statements of all policies about the table. */
function tableStatements(template: Template): { Action: string | string[]; Condition?: unknown }[] {
  return Object.values(template.findResources('AWS::IAM::Policy'))
    .flatMap(({ Properties: policy }) => policy.PolicyDocument.Statement as { Action: string | string[]; Condition?: unknown }[])
    .filter(({ Action: actions }) => [actions].flat().every((action) => action.startsWith('dynamodb:')));
}

describe('what a deployment does', () => {
  it('prunes only where it is told to', () => {
    expect(propertiesOf({ ...FEW, prune: true })['Prune']).toBe('true');
    expect(propertiesOf(FEW)['Prune']).toBe('false');
  });

  it('removes the limits with the resource only where it is told to', () => {
    expect(propertiesOf({ ...FEW, removalPolicy: RemovalPolicy.DESTROY })['OnDelete']).toBe('remove');
    expect(propertiesOf(FEW)['OnDelete']).toBe('keep');
  });

  it('registers another namespace only where it is told to', () => {
    expect(propertiesOf({ ...FEW, namespace: 'acme' })['Register']).toBe('false');
    expect(propertiesOf({ ...FEW, namespace: 'acme', registerNamespace: true })['Register']).toBe('true');
    expect(propertiesOf({ ...FEW, registerNamespace: false })['Register']).toBe('false');
    expect(propertiesOf({ ...FEW, namespaceId: '0123456789ab' })['Register']).toBe('false');
  });

  it('is waited for until no run of the function can come any more, and no longer', () => {
    const template = templateOf(build({ ...FEW, timeout: Duration.minutes(2) }));
    template.hasResourceProperties('AWS::Lambda::Function', { Timeout: 120 });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumEventAgeInSeconds: 240, MaximumRetryAttempts: 2 });
    template.hasResourceProperties(TYPE, { ServiceTimeout: '420' });
    expect(propertiesOf()['ServiceTimeout']).toBe('960');
  });

  it('begins after the access of the function is there, and it ends before that goes', () => {
    const template = templateOf(build());
    const [resource] = Object.values(template.findResources(TYPE));
    expect(resource?.['DependsOn']).toEqual(
      expect.arrayContaining([
        expect.stringMatching('LimitsRoleDefaultPolicy'),
        expect.stringMatching(/^LimitsRole[0-9A-F]+$/),
        expect.stringMatching('LimitsLogs'),
      ]),
    );
  });

  it('can be shown: its changes are an attribute', () => {
    const stack = newStack();
    const { changes } = build()(stack);
    expect(stack.resolve(changes)).toEqual({ 'Fn::GetAtt': [expect.stringMatching('^Limits'), 'Changes'] });
  });
});

describe('the function', () => {
  it('has the prebuilt code, and is told what to compare when it is asked for drift', () => {
    templateOf(build({ ...FEW, manifestName: 'tenants', namespace: 'acme' })).hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'index.handler',
      Runtime: 'nodejs22.x',
      Architectures: ['arm64'],
      MemorySize: 256,
      Timeout: 300,
      Environment: { Variables: { MILLRACE_TABLE: 'limits', MILLRACE_NAMESPACE: 'acme', MILLRACE_MANIFEST: 'tenants' } },
    });
  });

  it('has as much memory as it is given', () => {
    templateOf(build({ ...FEW, memorySize: 512 })).hasResourceProperties('AWS::Lambda::Function', { MemorySize: 512 });
  });

  it('keeps its logs for a month, or as long as it is told', () => {
    templateOf(build()).hasResource('AWS::Logs::LogGroup', { Properties: { RetentionInDays: 30 }, DeletionPolicy: 'Delete' });
    templateOf(build({ ...FEW, logRetention: RetentionDays.ONE_YEAR })).hasResourceProperties('AWS::Logs::LogGroup', {
      RetentionInDays: 365,
    });
  });

  it('may do what an operator does, and nothing outside of the table but log', () => {
    const template = templateOf(build());
    const actions = tableStatements(template).flatMap(({ Action: action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'].map((name) => `dynamodb:${name}`)),
    );
    const [role] = Object.values(template.findResources('AWS::IAM::Role'));
    expect(role?.['Properties'].ManagedPolicyArns).toBeUndefined();
  });

  it('is fenced to a namespace by its id', () => {
    const template = templateOf(build({ ...FEW, namespaceId: '0123456789ab' }));
    const fences = tableStatements(template).map(({ Condition: condition }) => JSON.stringify(condition));
    expect(fences.length).toBeGreaterThan(0);
    for (const fence of fences) expect(fence).toContain('dynamodb:LeadingKeys');
  });

  it('has a role within a boundary and of a name, where these are given', () => {
    const template = templateOf(
      build((stack) => ({
        ...FEW,
        permissionsBoundary: ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', 'arn:aws:iam::123456789012:policy/boundary'),
        roleNameFormat: 'team-{}',
      })),
    );
    template.hasResourceProperties('AWS::IAM::Role', {
      PermissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      RoleName: 'team-Stack-limits',
    });
  });

  it('uses a role that is given, and makes none', () => {
    const stack = new Stack(new App(), 'Stack');
    const role = new Role(stack, 'Mine', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    build({ ...FEW, role })(stack);
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::IAM::Role', 1);
    expect(tableStatements(template)).not.toEqual([]);
    const both = (inStack: Stack) => ({
      ...FEW,
      roleNameFormat: '{}',
      role: new Role(inStack, 'Mine', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
    });
    expect(mistakesOf(build(both))).toEqual([
      'role and roleNameFormat must not both be set: it is about the role that is made where none is given',
    ]);
  });
});

describe('a manifest beside the limiter of its stack', () => {
  it('is made after the table, by its name, and there are no warnings', () => {
    const stack = newStack();
    const limiter = new RateLimiter(stack, 'Limiter');
    new LimitsManifest(stack, 'Limits', { limiter, ...FEW });
    Template.fromStack(stack).hasResourceProperties(TYPE, { Table: { Ref: Match.stringLikeRegexp('LimiterTable') } });
    expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
  });
});
