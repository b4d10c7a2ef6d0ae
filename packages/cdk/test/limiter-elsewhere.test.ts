import { RateLimiter, UsageAggregator } from '@millrace/cdk';
import { App, Aws, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Dashboard, GraphWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { mistakesOf, newStack } from './synth.js';

const serviceIn = (stack: Stack): Role => new Role(stack, 'Service', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });

describe('a limiter of another stack', () => {
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/limits';

  it('is found by its ARN, and makes nothing but grants and metrics', () => {
    const stack = newStack();
    const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableArn: arn, metricsNamespace: 'Ours' });

    limiter.grantAcquire(serviceIn(stack)).assertSuccess();

    expect(limiter.tableName).toBe('limits');
    expect(limiter.metric('SystemErrors').toMetricConfig().metricStat).toMatchObject({
      namespace: 'AWS/DynamoDB',
      dimensions: [{ name: 'TableName', value: 'limits' }],
    });
    expect(limiter.metricMillrace('Records').toMetricConfig().metricStat).toMatchObject({
      namespace: 'Ours',
      dimensions: [{ name: 'Table', value: 'limits' }],
    });
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Resource: arn })]) },
    });
  });

  it('is found by its name, in this account and region', () => {
    const stack = newStack();
    const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });

    const { 'Fn::Join': joined } = stack.resolve(limiter.tableArn) as { 'Fn::Join': [string, unknown[]] };
    expect(joined[1].at(-1)).toBe(':table/limits');
  });

  it('lets its key be used, where it is told', () => {
    const stack = newStack();
    const key = Key.fromKeyArn(stack, 'Key', 'arn:aws:kms:eu-central-1:123456789012:key/k');

    RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableArn: arn, encryptionKey: key }).grantRead(serviceIn(stack));

    Template.fromStack(stack).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: ['kms:Decrypt', 'kms:DescribeKey'] })]) },
    });
  });

  it('must be told by one of name and ARN', () => {
    const stack = newStack();

    expect(() => RateLimiter.fromRateLimiterAttributes(stack, 'Neither', {})).toThrow(
      'Stack/Neither: one of tableName and tableArn must be given, got: neither',
    );
    expect(() => RateLimiter.fromRateLimiterAttributes(stack, 'Both', { tableName: 'limits', tableArn: arn })).toThrow('got: both');
  });

  it.each([
    { tableName: '*' },
    { tableName: 'ab' },
    { tableArn: 'limits' },
    { tableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/*' },
    { tableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/limits/index/windows' },
    { tableArn: 'arn:aws:s3:::limits' },
  ])('must be one table: not %j', (attributes) => {
    expect(() => RateLimiter.fromRateLimiterAttributes(newStack(), 'Limiter', attributes)).toThrow(
      /^Stack\/Limiter: (tableName must be 3 to 255 letters|tableArn must be the ARN of a table).*, got: '/,
    );
  });

  it('may be one that only the deployment knows', () => {
    const tableArn = `arn:${Aws.PARTITION}:dynamodb:${Aws.REGION}:${Aws.ACCOUNT_ID}:table/limits`;

    expect(() => RateLimiter.fromRateLimiterAttributes(newStack(), 'Limiter', { tableArn })).not.toThrow();
  });

  it('has metrics in a namespace that services can report to', () => {
    const wrong = (metricsNamespace: string) => mistakesOf((stack) => imported(stack, metricsNamespace));
    const imported = (stack: Stack, metricsNamespace: string) =>
      RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableArn: arn, metricsNamespace });

    expect(['AWS/Limits', '', 'a b'].flatMap(wrong)).toEqual(Array(3).fill(expect.stringMatching(/^metricsNamespace must be 1 to 255/)));
  });
});

describe('the metrics of a limiter', () => {
  it('are those of DynamoDB about its table, summed by the minute', () => {
    const stack = newStack();
    const limiter = new RateLimiter(stack, 'Limiter');

    const metrics = [
      limiter.metricConsumedReadUnits(),
      limiter.metricConsumedWriteUnits(),
      limiter.metricReadThrottles(),
      limiter.metricWriteThrottles(),
    ];

    expect(metrics.map(({ metricName, statistic }) => `${metricName} ${statistic}`)).toEqual([
      'ConsumedReadCapacityUnits Sum',
      'ConsumedWriteCapacityUnits Sum',
      'ReadThrottleEvents Sum',
      'WriteThrottleEvents Sum',
    ]);
    expect(metrics.every(({ period }) => period.toSeconds() === 60)).toBe(true);
    expect(limiter.metricsNamespace).toBe(limiter.aggregator?.metricsNamespace);
  });

  it('are looked for where the limiter is, on a dashboard of another region', () => {
    const app = new App();
    const env = (region: string) => ({ env: { account: '123456789012', region } });
    const here = new Stack(app, 'Here', env('eu-central-1'));
    const there = new Stack(app, 'There', env('us-east-1'));
    const own = new RateLimiter(here, 'Limiter', { tableName: 'limits', alarming: false, charting: false });
    const tableArn = 'arn:aws:dynamodb:ap-south-1:210987654321:table/limits';
    const imported = RateLimiter.fromRateLimiterAttributes(there, 'Imported', { tableArn });
    const table = Table.fromTableAttributes(there, 'Table', { tableArn, tableStreamArn: `${tableArn}/stream/now` });
    const aggregator = new UsageAggregator(there, 'Usage', { table });

    const metrics = [own.metricReadThrottles(), own.metricMillrace('Admitted'), imported.metricReadThrottles(), aggregator.metricRecords()];

    expect(metrics.map(({ region, account }) => `${region} ${account}`)).toEqual([
      'eu-central-1 123456789012',
      'eu-central-1 123456789012',
      'ap-south-1 210987654321',
      'us-east-1 123456789012',
    ]);
    new Dashboard(there, 'Board', { widgets: [[new GraphWidget({ left: [own.metricReadThrottles()] })]] });
    const [board] = Object.values(Template.fromStack(there).findResources('AWS::CloudWatch::Dashboard'));
    expect(JSON.stringify(board)).toContain('\\"region\\":\\"eu-central-1\\"');
  });

  it('are looked for where they are shown, where nobody knows the region', () => {
    const { region, account } = new RateLimiter(newStack(), 'Limiter').metricReadThrottles();

    expect([region, account]).toEqual([undefined, undefined]);
  });
});
