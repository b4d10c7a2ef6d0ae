import type { LimiterAlarmsOptions } from '@millrace/cdk';
import type { Stack } from 'aws-cdk-lib';
import { Annotations, Match, type Template } from 'aws-cdk-lib/assertions';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { alarmsIn } from './alarms-stack.js';
import { mistakesOf, newStack, templateOf } from './synth.js';

const ALARM = 'AWS::CloudWatch::Alarm';
const alarmsWith = (options?: LimiterAlarmsOptions): Template => templateOf((stack) => alarmsIn(stack, options));

describe('the topic', () => {
  const publish = {
    Sid: 'AllowAlarmsToPublish',
    Effect: 'Allow',
    Action: 'sns:Publish',
    Principal: { Service: 'cloudwatch.amazonaws.com' },
    Condition: {
      StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
      ArnLike: { 'aws:SourceArn': Match.anyValue() },
    },
  };

  it('that is made must be reached by TLS, and lets alarms publish nevertheless', () => {
    const template = alarmsWith();
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike(publish),
        ]),
      },
    });
    template.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.absent() });
  });

  it('that is given is told, and lets alarms publish', () => {
    const template = templateOf((stack) => alarmsIn(stack, { topic: new Topic(stack, 'Ours') }));
    template.resourceCountIs('AWS::SNS::Topic', 1);
    template.hasResourceProperties('AWS::SNS::TopicPolicy', { PolicyDocument: { Statement: [Match.objectLike(publish)] } });
    template.allResourcesProperties(ALARM, { AlarmActions: [{ Ref: Match.stringLikeRegexp('^Ours') }] });
  });

  it.each([
    ['that is made', (stack: Stack) => ({ topicKey: new Key(stack, 'Key') })],
    ['that is given', (stack: Stack) => ({ topic: new Topic(stack, 'Ours', { masterKey: new Key(stack, 'Key') }) })],
  ])('%s, encrypted, has a key that CloudWatch may use', (_, options) => {
    const template = templateOf((stack) => alarmsIn(stack, options(stack)));
    template.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.anyValue() });
    template.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Principal: { Service: 'cloudwatch.amazonaws.com' } }),
        ]),
      },
    });
  });

  it('that is imported cannot be allowed from here, which is said', () => {
    const stack = newStack();
    const topic = Topic.fromTopicArn(stack, 'Theirs', 'arn:aws:sns:us-east-1:123456789012:theirs');
    const topicKey = Key.fromKeyArn(stack, 'Key', 'arn:aws:kms:us-east-1:123456789012:key/1');
    alarmsIn(stack, { topic, topicKey });
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.anyValue());
    expect(warnings.map(({ entry }) => String(entry.data))).toEqual([
      expect.stringContaining('sns:Publish'),
      expect.stringContaining('kms:GenerateDataKey*'),
    ]);
  });

  it("cannot be encrypted with AWS's own key, by which nobody would hear of an alarm", () => {
    const mistakes = mistakesOf((stack) => alarmsIn(stack, { topicKey: Alias.fromAliasName(stack, 'Managed', 'alias/aws/sns') }));
    expect(mistakes).toEqual([expect.stringContaining('alias/aws/sns')]);
  });
});

describe('a monthly budget', () => {
  it('is not there unless it is wanted', () => {
    alarmsWith().resourceCountIs('AWS::Budgets::Budget', 0);
  });

  it('tells the topic at 80 percent, and when more is foreseen; budgets may publish to it', () => {
    const template = alarmsWith({ monthlyBudget: { usd: 300, tagKey: 'app', tagValue: 'limits' } });
    const tells = (NotificationType: string, Threshold: number) =>
      Match.objectLike({
        Notification: Match.objectLike({ NotificationType, Threshold }),
        Subscribers: [Match.objectLike({ SubscriptionType: 'SNS' })],
      });
    template.hasResource('AWS::Budgets::Budget', {
      Properties: {
        Budget: { BudgetLimit: { Amount: 300, Unit: 'USD' }, TimeUnit: 'MONTHLY', CostFilters: { TagKeyValue: ['user:app$limits'] } },
        NotificationsWithSubscribers: [tells('ACTUAL', 80), tells('FORECASTED', 100)],
      },
      DependsOn: [Match.stringLikeRegexp('Policy')],
    });
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([Match.objectLike({ Principal: { Service: 'budgets.amazonaws.com' }, Action: 'sns:Publish' })]),
      },
    });
  });

  it('may use the key of the topic, as alarms may', () => {
    const template = templateOf((stack) => alarmsIn(stack, { topicKey: new Key(stack, 'Key'), monthlyBudget: { usd: 1 } }));
    const allows = (Service: string) => Match.objectLike({ Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Principal: { Service } });
    template.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: { Statement: Match.arrayWith([allows('cloudwatch.amazonaws.com'), allows('budgets.amazonaws.com')]) },
    });
  });

  it('says what must be allowed elsewhere where topic and key are imported', () => {
    const stack = newStack();
    const topic = Topic.fromTopicArn(stack, 'Theirs', 'arn:aws:sns:us-east-1:123456789012:theirs');
    const topicKey = Key.fromKeyArn(stack, 'Key', 'arn:aws:kms:us-east-1:123456789012:key/1');
    alarmsIn(stack, { topic, topicKey, monthlyBudget: { usd: 1 } });
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('budgets may be silent'));
    expect(warnings.map(({ entry }) => String(entry.data))).toEqual([
      expect.stringMatching(/let budgets.amazonaws.com do sns:Publish there/),
      expect.stringMatching(/let budgets.amazonaws.com do kms:Decrypt and kms:GenerateDataKey\* there/),
    ]);
  });

  it('counts all of DynamoDB where no tag is named', () => {
    alarmsWith({ monthlyBudget: { usd: 1 } }).hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { CostFilters: { Service: ['Amazon DynamoDB'] } },
    });
  });
});
