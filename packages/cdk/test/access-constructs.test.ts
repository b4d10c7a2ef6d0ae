import { AccessPolicies, type AccessPoliciesProps, AccessRoles, type AccessRolesProps, NamespaceId, RateLimiter } from '@millrace/cdk';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { mistakesOf, templateOf } from './synth.js';

const limiterIn = (stack: Stack) => RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });
const addPolicies = (props: Partial<AccessPoliciesProps>) => (stack: Stack) =>
  new AccessPolicies(stack, 'Policies', { limiter: limiterIn(stack), ...props });
const addRoles = (props: (stack: Stack) => Partial<AccessRolesProps>) => (stack: Stack) =>
  new AccessRoles(stack, 'Roles', { limiter: limiterIn(stack), assumedBy: new AccountRootPrincipal(), ...props(stack) });

/** The actions that each policy of a template allows. */
function actionsIn(template: Template, type: string): readonly (readonly string[])[] {
  return Object.values(template.findResources(type)).map(({ Properties: { PolicyDocument: document } }) =>
    document.Statement.flatMap(({ Action: actions }: { Action: string | string[] }) => actions),
  );
}

const leadingKeys = (...keys: string[]) => ({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': Match.arrayWith(keys) } });

describe('managed policies for the roles of use', () => {
  it('are three, of which one writes buckets, one nothing, and one all', () => {
    const template = templateOf(addPolicies({}));

    template.resourceCountIs('AWS::IAM::ManagedPolicy', 3);
    const [acquire, read, admin] = actionsIn(template, 'AWS::IAM::ManagedPolicy');
    expect(acquire).toEqual(expect.arrayContaining(['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:BatchGetItem']));
    expect(acquire).not.toContain('dynamodb:PutItem');
    expect(read?.filter((action) => /Put|Update|Delete|Write/.test(action))).toEqual([]);
    expect(admin).toEqual(expect.arrayContaining(['dynamodb:Scan', 'dynamodb:PutItem', 'dynamodb:DeleteItem']));
    for (const actions of [acquire, read, admin]) expect(actions?.filter((action) => action.includes('*'))).toEqual([]);
  });

  it('are fenced to a namespace', () => {
    const template = templateOf(addPolicies({ namespaceId: '4f1c' }));

    template.hasResourceProperties('AWS::IAM::ManagedPolicy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Condition: leadingKeys('4f1c/b/*') })]) },
    });
    expect(actionsIn(template, 'AWS::IAM::ManagedPolicy').flat()).not.toContain('dynamodb:Scan');
  });

  it('let services record usage where that is wanted, and the readers not', () => {
    const [acquire, read] = actionsIn(templateOf(addPolicies({ recordUsage: true, namespaceId: '4f1c' })), 'AWS::IAM::ManagedPolicy');
    expect(acquire).toContain('dynamodb:PutItem');
    expect(read).not.toContain('dynamodb:PutItem');
    templateOf(addPolicies({ recordUsage: true, namespaceId: '4f1c' })).hasResourceProperties('AWS::IAM::ManagedPolicy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Condition: leadingKeys('4f1c/v/*') })]) },
    });
  });

  it('are named by CloudFormation, or by a format', () => {
    const [made] = Object.values(templateOf(addPolicies({})).findResources('AWS::IAM::ManagedPolicy'));
    expect(made?.['Properties'].ManagedPolicyName).toBeUndefined();
    templateOf(addPolicies({ policyNameFormat: 'corp-{}' })).hasResourceProperties('AWS::IAM::ManagedPolicy', {
      ManagedPolicyName: 'corp-Stack-acquire',
    });
    expect(mistakesOf(addPolicies({ policyNameFormat: 'corp' }))).toContainEqual(
      expect.stringMatching(/^policyNameFormat must hold {} once/),
    );
  });

  it('let the key of the table be used', () => {
    const template = templateOf((stack) => {
      const key = new Key(stack, 'Key');
      const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits', encryptionKey: key });
      return new AccessPolicies(stack, 'Policies', { limiter });
    });

    const [acquire, read, admin] = actionsIn(template, 'AWS::IAM::ManagedPolicy');
    expect(acquire).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey']));
    expect(read).toContain('kms:Decrypt');
    expect(read).not.toContain('kms:Encrypt');
    expect(admin).toContain('kms:Encrypt');
  });

  it('fit into what IAM takes, fenced by a tag of any length', () => {
    const template = templateOf(addPolicies({ namespaceId: NamespaceId.fromPrincipalTag('k'.repeat(128)) }));

    for (const { Properties: properties } of Object.values(template.findResources('AWS::IAM::ManagedPolicy'))) {
      expect(JSON.stringify(properties.PolicyDocument).length).toBeLessThan(6_144);
    }
  });
});

describe('IAM roles for the roles of use', () => {
  it('are three, that whoever is named may take on for an hour', () => {
    const template = templateOf(addRoles(() => ({})));

    template.resourcePropertiesCountIs(
      'AWS::IAM::Role',
      {
        AssumeRolePolicyDocument: { Statement: [Match.objectLike({ Action: 'sts:AssumeRole' })] },
        MaxSessionDuration: Match.absent(),
        PermissionsBoundary: Match.absent(),
        RoleName: Match.absent(),
      },
      3,
    );
    expect(actionsIn(template, 'AWS::IAM::Policy')).toHaveLength(3);
  });

  it('have the name, the boundary and the time that are given', () => {
    const template = templateOf(
      addRoles((stack) => ({
        roleNameFormat: 'corp-{}',
        permissionsBoundary: ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'corp-boundary'),
        maxSessionDuration: Duration.hours(4),
      })),
    );

    template.hasResourceProperties('AWS::IAM::Role', {
      RoleName: 'corp-Stack-admin',
      MaxSessionDuration: 14_400,
      PermissionsBoundary: { 'Fn::Join': ['', Match.arrayWith([':policy/corp-boundary'])] },
    });
  });

  it('let services record usage where that is wanted', () => {
    const puts = (options: Partial<AccessRolesProps>): number =>
      actionsIn(templateOf(addRoles(() => options)), 'AWS::IAM::Policy').filter((actions) => actions.includes('dynamodb:PutItem')).length;

    expect([puts({}), puts({ recordUsage: true })]).toEqual([1, 2]);
  });

  it('serve the namespace that the tag of a session names', () => {
    const template = templateOf(
      addRoles(() => ({
        assumedBy: new AccountRootPrincipal().withSessionTags(),
        namespaceId: NamespaceId.fromPrincipalTag('millrace-namespace'),
      })),
    );

    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([Match.objectLike({ Condition: leadingKeys(`\${aws:PrincipalTag/millrace-namespace}/b/*`) })]),
      },
    });
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: { Statement: [Match.objectLike({ Action: ['sts:AssumeRole', 'sts:TagSession'] })] },
    });
  });

  it('tell all mistakes at once', () => {
    const mistakes = mistakesOf(addRoles(() => ({ roleNameFormat: '{}{}', maxSessionDuration: Duration.minutes(5) })));

    expect(mistakes).toContainEqual(expect.stringMatching(/^maxSessionDuration must be whole seconds from 3600 to 43200, got: 300/));
    expect(mistakes).toContainEqual(expect.stringMatching(/^roleNameFormat must hold {} once/));
  });
});
