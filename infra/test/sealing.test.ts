import { GetPolicyCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { deployed } from './deployed.js';

const lambda = new LambdaClient({});

describe('the deployed sealing', () => {
  it('goes over all namespaces within the role of the function, and finds that nothing is over yet', async () => {
    // What a rule of EventBridge sends; no test waits for the hour.
    const event = { version: '0', source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} };

    const { Payload: payload, FunctionError: error } = await lambda.send(
      new InvokeCommand({ FunctionName: deployed.aggregator, Payload: JSON.stringify(event) }),
    );

    expect(error).toBeUndefined();
    expect(JSON.parse(Buffer.from(payload ?? []).toString('utf8'))).toEqual({ sealed: 0, failed: 0, isDone: true });
  });

  it('may be begun by its rule, and by nothing else of EventBridge', async () => {
    const { Policy: policy = '{}' } = await lambda.send(new GetPolicyCommand({ FunctionName: deployed.aggregator }));

    expect(JSON.parse(policy).Statement).toMatchObject([
      {
        Effect: 'Allow',
        Action: 'lambda:InvokeFunction',
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { ArnLike: { 'AWS:SourceArn': expect.stringMatching(/:rule\/.*Sealing/) } },
      },
    ]);
  });
});
