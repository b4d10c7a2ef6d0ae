import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricStatisticsCommand,
  type MetricAlarm,
  PutMetricDataCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployed } from './deployed.js';
import { dashboardBody, dashboardOf } from './resources.js';

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

  /** The alarm on a metric of AWS's own about one of our resources. */
  async function alarmOn(metric: string, dimension: string, value: string): Promise<MetricAlarm> {
    const { MetricAlarms: alarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({}));
    const found = alarms.find(
      ({ MetricName, Dimensions: dimensions = [] }) =>
        MetricName === metric && dimensions.some(({ Name, Value }) => Name === dimension && Value === value),
    );
    if (found === undefined) throw new Error(`no alarm looks at ${metric} of ${value}`);
    return found;
  }

  /** What the queue is told of an alarm that goes off, within twenty seconds; what else it is told is thrown away. */
  async function toldOf(AlarmName: string | undefined): Promise<unknown> {
    for (const untilMs = Date.now() + 20_000; Date.now() < untilMs; ) {
      const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
      for (const { Body: body = '{}', ReceiptHandle } of messages) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        const told = JSON.parse(JSON.parse(body).Message);
        if (told.AlarmName === AlarmName && told.NewStateValue === 'ALARM') return told;
      }
    }
    return undefined;
  }

  it('W-41: reach a queue behind the topic when one goes off', async () => {
    const queue = deployed.failureQueue.split('/').at(-1) ?? '';
    const { AlarmName, AlarmDescription } = await alarmOn('ApproximateNumberOfMessagesVisible', 'QueueName', queue);

    await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason: 'a test says so' }));

    expect(await toldOf(AlarmName)).toMatchObject({ AlarmName, NewStateValue: 'ALARM', AlarmDescription });
  });

  /** Invocations of the function that failed in this hour, as its own metric says. */
  async function errorsOf(FunctionName: string): Promise<number> {
    const asked = new GetMetricStatisticsCommand({
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: FunctionName }],
      StartTime: new Date(Date.now() - 3_600_000),
      EndTime: new Date(Date.now() + 60_000),
      Period: 60,
      Statistics: ['Sum'],
    });
    const { Datapoints: points = [] } = await cloudWatch.send(asked);
    return points.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
  }

  it('go off by what is measured: an invocation of the function that fails is told to that queue', async () => {
    const { AlarmName, AlarmDescription } = await alarmOn('Errors', 'FunctionName', deployed.aggregator);
    // Whatever other tests have made fail before is over.
    await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'OK', StateReason: 'a test begins' }));
    const before = await errorsOf(deployed.aggregator);

    const event = { FunctionName: deployed.aggregator, Payload: '{"Records":"none"}' };
    const { FunctionError } = await new LambdaClient({}).send(new InvokeCommand(event));
    // The emulator judges its alarms when a metric is put, whichever it is.
    await cloudWatch.send(new PutMetricDataCommand({ Namespace: 'Probe', MetricData: [{ MetricName: 'Looks', Value: 1 }] }));

    expect(FunctionError).toBeDefined();
    expect(await errorsOf(deployed.aggregator)).toBeGreaterThan(before);
    expect(await toldOf(AlarmName)).toMatchObject({
      AlarmName,
      AlarmDescription,
      OldStateValue: 'OK',
      NewStateReason: expect.stringMatching(/^Threshold Crossed: Sum [1-9]/),
      Trigger: { Namespace: 'AWS/Lambda', MetricName: 'Errors' },
    });
  });
});

describe('the deployed dashboard', () => {
  it('shows widgets about the table', async () => {
    const body = await dashboardBody(await dashboardOf('Millrace-dev'));

    expect(JSON.parse(body).widgets.length).toBeGreaterThan(10);
    expect(body).toContain(deployed.table);
  });
});
