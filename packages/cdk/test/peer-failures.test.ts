import { STREAM_FILTERS } from '@millrace/aggregator-lambda/filters';
import { AccessRole, RateLimiter } from '@millrace/cdk';
import { ATTRIBUTE, WINDOW_INDEX } from '@millrace/core';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessStatements } from '../src/permissions/access-statements.js';
import { templateOf } from './synth.js';

// What went wrong in a peer's stack, and may not here. That each really works is shown on an emulator, by infra/test.
let template: Template;
beforeAll(() => {
  template = templateOf((stack) => new RateLimiter(stack, 'Limiter', { archiveAuditEvents: true }));
});

describe('W-38: a policy for those who acquire', () => {
  it('allows what an acquire sends: a bucket is written by UpdateItem, also when it is new, and no transaction is an action of IAM', () => {
    const statements = accessStatements(AccessRole.ACQUIRE, { tableArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/limits' });
    const actions = new Set(statements.flatMap((statement) => statement.actions));
    expect(actions).toContain('dynamodb:UpdateItem');
    for (const action of actions) expect(action).not.toMatch(/Transact/);
  });
});

describe('W-41: an operator', () => {
  it('is told by every alarm, that of the failure queue among them', () => {
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
    expect(alarms.length).toBeGreaterThan(8);
    for (const { AlarmActions, AlarmDescription } of alarms) expect(AlarmActions, AlarmDescription).toHaveLength(1);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      AlarmActions: [Match.anyValue()],
    });
  });

  it('keeps table and archive when a stack is deleted by mistake', () => {
    const retained = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };
    template.hasResource('AWS::DynamoDB::Table', retained);
    template.hasResource('AWS::S3::Bucket', retained);
  });
});

describe('W-23: the filter of the stream', () => {
  it('lets audit events through as they are written: new items, under keys that begin with their namespace', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FilterCriteria: {
        Filters: STREAM_FILTERS.map((Pattern) => ({ Pattern: typeof Pattern === 'string' ? Pattern : JSON.stringify(Pattern) })),
      },
    });
    expect(JSON.stringify(STREAM_FILTERS)).toContain('INSERT');
  });
});

describe('W-40: an update', () => {
  it('reaches a stack that exists: nothing that holds data is replaced by it, since its name and keys stay', () => {
    const table = {
      KeySchema: [
        { AttributeName: ATTRIBUTE.partitionKey, KeyType: 'HASH' },
        { AttributeName: ATTRIBUTE.sortKey, KeyType: 'RANGE' },
      ],
    };
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      ...table,
      GlobalSecondaryIndexes: [Match.objectLike({ IndexName: WINDOW_INDEX })],
    });
    const changed = templateOf((stack) => new RateLimiter(stack, 'Limiter', { archiveAuditEvents: true, aggregator: { memorySize: 512 } }));
    const idsOf = (each: Template, type: string): string[] => Object.keys(each.findResources(type));
    for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::Lambda::Function'])
      expect(idsOf(changed, type)).toEqual(idsOf(template, type));
    changed.hasResourceProperties('AWS::Lambda::Function', { MemorySize: 512 });
  });
});
