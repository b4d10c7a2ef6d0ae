import { AccessPolicies, AccessRoles, LimitRate, LimitsManifest, LoadRig, RateLimiter } from '@millrace/cdk';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { rigAssets } from './rig-assets.js';
import { mistakesOf, newStack } from './synth.js';

/** By type, what a resource is called by, where a template says so: two of a name cannot be in one account and region. */
const NAMES: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::CloudWatch::InsightRule': 'RuleName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::ECS::Cluster': 'ClusterName',
  'AWS::Events::Rule': 'Name',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::KMS::Alias': 'AliasName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Lambda::LayerVersion': 'LayerName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
};

const workerAssets = rigAssets();

/** A limiter with all that there can be beside it, and no name said. */
function unnamed(stack: Stack, id: string): void {
  const dashboard = { callerLogGroups: [LogGroup.fromLogGroupName(stack, `${id}Callers`, 'services')] };
  const alarms = { monthlyBudget: { usd: 10 } };
  const limiter = new RateLimiter(stack, id, { archiveAuditEvents: true, dashboard, alarms });
  new LimitsManifest(stack, `${id}Limits`, { limiter, system: [LimitRate.perMinute('rpm', 60)] });
  new AccessPolicies(stack, `${id}Policies`, { limiter });
  new AccessRoles(stack, `${id}Roles`, { limiter, assumedBy: new AccountRootPrincipal() });
  new LoadRig(stack, `${id}Rig`, { limiter, workerAssets });
}

/** What a template calls resources by. */
function namesIn(stack: Stack): string[] {
  const { Resources: resources, Outputs: outputs = {} } = Template.fromStack(stack).toJSON() as {
    Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
    Outputs?: Record<string, { Export?: { Name: unknown } }>;
  };
  const named = Object.values(resources).flatMap(({ Type, Properties = {} }) => {
    const budget = (Properties['Budget'] as { BudgetName?: unknown } | undefined)?.BudgetName;
    const name = Properties[NAMES[Type] ?? ''] ?? budget;
    return name === undefined ? [] : [`${Type} ${JSON.stringify(name)}`];
  });
  return [
    ...named,
    ...Object.values(outputs).flatMap(({ Export: exported }) => (exported ? [`export ${JSON.stringify(exported.Name)}`] : [])),
  ];
}

describe('the names of what a limiter is made of', () => {
  it('are those that CloudFormation makes up, but for rules, which must have one: none is taken twice', () => {
    const app = new App();
    const [dev, prod] = ['dev', 'prod'].map((stage) => new Stack(app, stage, { stackName: `Limits-${stage}` })) as [Stack, Stack];
    for (const stack of [dev, prod]) for (const id of ['One', 'Two']) unnamed(stack, id);

    const names = [...namesIn(dev), ...namesIn(prod)];

    expect(names.filter((name) => !name.startsWith('AWS::CloudWatch::InsightRule '))).toEqual([]);
    expect(names).toHaveLength(8);
    expect(new Set(names).size).toBe(8);
  });

  it('would be found: a name that is said is in the template', () => {
    const stack = newStack();
    new RateLimiter(stack, 'Limiter', { tableName: 'limits', roleNameFormat: 'our-{}', aggregator: { functionName: 'usage' } });

    expect(namesIn(stack)).toEqual([
      'AWS::DynamoDB::Table "limits"',
      'AWS::IAM::Role "our-Stack-aggregator"',
      'AWS::Lambda::Function "usage"',
    ]);
  });

  it('by one format for two of a stack are refused, as the second could not be deployed', () => {
    const twice = (formats: readonly [string, string]): string[] =>
      mistakesOf((stack) => {
        const made = formats.map((format, index) => {
          const props = { roleNameFormat: format, policyNameFormat: format };
          return new RateLimiter(stack, `Limiter${index}`, { ...props, alarming: false, charting: false });
        });
        for (const [index, limiter] of made.entries()) {
          new AccessPolicies(stack, `Policies${index}`, { limiter, policyNameFormat: formats[index] });
          new AccessRoles(stack, `Roles${index}`, { limiter, assumedBy: new AccountRootPrincipal(), roleNameFormat: formats[index] });
        }
      });

    expect(twice(['a-{}', 'b-{}'])).toEqual([]);
    const mistakes = twice(['a-{}', 'a-{}']);
    // Of the aggregator, and three of the policies and of the roles each; the policy in the aggregator's role may be called as another one is.
    expect(mistakes).toHaveLength(7);
    expect(mistakes.join('\n')).toContain(
      "roleNameFormat must make names that nothing else in the stack has, got: 'a-Stack-aggregator', as Stack/Limiter0/Aggregator has",
    );
  });
});
