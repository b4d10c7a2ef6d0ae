import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand, GetDashboardCommand, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, DeleteQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployed } from './deployed.js';

const cloudWatch = new CloudWatchClient({});
const sqs = new SQSClient({});

describe('the deployed alarms', () => {
  let QueueUrl: string;
  beforeAll(async () => {
    const policy = {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'sns.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource: '*',
          Condition: { ArnEquals: { 'aws:SourceArn': deployed.alarmTopic } },
        },
      ],
    };
    const created = await sqs.send(new CreateQueueCommand({ QueueName: 'on-call', Attributes: { Policy: JSON.stringify(policy) } }));
    QueueUrl = created.QueueUrl ?? '';
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    const subscription = { TopicArn: deployed.alarmTopic, Protocol: 'sqs', Endpoint: Attributes?.QueueArn };
    await new SNSClient({}).send(new SubscribeCommand(subscription));
  });
  afterAll(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));

  it('all tell the topic, and say what to do', async () => {
    const { MetricAlarms: alarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({}));

    expect(alarms.length).toBeGreaterThan(7);
    for (const { AlarmActions: actions, AlarmDescription: description = '' } of alarms) {
      expect(actions).toEqual([deployed.alarmTopic]);
      expect(description.length).toBeGreaterThan(40);
    }
  });

  it('W-41: reach a queue behind the topic when one goes off', async () => {
    const { MetricAlarms: alarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({}));
    const alarm = alarms.find(({ Dimensions: dimensions = [] }) =>
      dimensions.some(({ Name, Value }) => Name === 'QueueName' && deployed.failureQueue.endsWith(`/${Value}`)),
    );
    const AlarmName = alarm?.AlarmName ?? 'the failure queue has no alarm';

    await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason: 'a test says so' }));

    const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    const told = JSON.parse(JSON.parse(messages[0]?.Body ?? '{}').Message ?? '{}');
    expect(told).toMatchObject({ AlarmName, NewStateValue: 'ALARM', AlarmDescription: alarm?.AlarmDescription });
  });
});

describe('the deployed dashboard', () => {
  it('shows widgets about the table', async () => {
    const asked = new DescribeStackResourcesCommand({ StackName: 'Millrace-dev' });
    const { StackResources: resources = [] } = await new CloudFormationClient({}).send(asked);
    const DashboardName = resources.find(({ ResourceType }) => ResourceType === 'AWS::CloudWatch::Dashboard')?.PhysicalResourceId;

    const { DashboardBody: body = '' } = await cloudWatch.send(new GetDashboardCommand({ DashboardName }));

    expect(JSON.parse(body).widgets.length).toBeGreaterThan(10);
    expect(body).toContain(deployed.table);
  });
});
