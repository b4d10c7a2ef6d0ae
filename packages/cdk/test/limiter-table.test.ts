import { LimiterTable, type LimiterTableProps, TableBilling } from '@millrace/cdk';
import { TABLE_DEFINITION, TTL_ATTRIBUTE } from '@millrace/core';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { ContributorInsightsMode, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { beforeAll, describe, expect, it } from 'vitest';
import { mistakesOf, onlyOne, templateOf } from './synth.js';

const TABLE = 'AWS::DynamoDB::Table';
const tableWith = (props?: LimiterTableProps): Template => templateOf((stack) => new LimiterTable(stack, 'Limiter', props));
const mistakesWith = (props: LimiterTableProps): string[] => mistakesOf((stack) => new LimiterTable(stack, 'Limiter', props));

describe('a table without props', () => {
  let template: Template;
  beforeAll(() => {
    template = tableWith();
  });

  it('is, to the word, the table that createTable makes', () => {
    const { AttributeDefinitions: attributes, StreamSpecification: stream, ...definition } = TABLE_DEFINITION;
    const properties = onlyOne(template, TABLE);

    expect(properties).toMatchObject(definition);
    expect(properties['StreamSpecification']).toEqual({ StreamViewType: stream.StreamViewType });
    expect(properties['AttributeDefinitions']).toHaveLength(attributes.length);
    expect(properties['AttributeDefinitions']).toEqual(expect.arrayContaining([...attributes]));
    expect(properties['TimeToLiveSpecification']).toEqual({ AttributeName: TTL_ATTRIBUTE, Enabled: true });
  });

  it('can be brought back to any second, for as long as DynamoDB keeps it', () => {
    template.hasResourceProperties(TABLE, {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: Match.absent() },
    });
  });

  it('stays when its stack goes, and when it is replaced', () => {
    template.hasResource(TABLE, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('is encrypted by the key of AWS, has no bounds, no insights, no protection and no name', () => {
    template.hasResourceProperties(TABLE, {
      SSESpecification: { SSEEnabled: false },
      OnDemandThroughput: Match.absent(),
      ContributorInsightsSpecification: Match.absent(),
      DeletionProtectionEnabled: false,
      TableName: Match.absent(),
      Tags: Match.absent(),
    });
    template.resourceCountIs('AWS::KMS::Key', 0);
    template.resourceCountIs('AWS::ApplicationAutoScaling::ScalableTarget', 0);
  });
});

describe('billing', () => {
  it('by request takes bounds, which the index gets, too', () => {
    const bounds = { MaxReadRequestUnits: 500, MaxWriteRequestUnits: 800 };

    const template = tableWith({ billing: TableBilling.onDemand({ maxReadRequestUnits: 500, maxWriteRequestUnits: 800 }) });

    template.hasResourceProperties(TABLE, {
      BillingMode: 'PAY_PER_REQUEST',
      OnDemandThroughput: bounds,
      GlobalSecondaryIndexes: [Match.objectLike({ OnDemandThroughput: bounds })],
    });
  });

  it('by capacity follows the use of the table and of the index at 70 percent, reads and writes', () => {
    const template = tableWith({ billing: TableBilling.provisioned({ minReadCapacity: 10, maxReadCapacity: 100, maxWriteCapacity: 400 }) });

    const units = { ReadCapacityUnits: 10, WriteCapacityUnits: 5 };
    template.hasResourceProperties(TABLE, {
      ProvisionedThroughput: units,
      GlobalSecondaryIndexes: [Match.objectLike({ ProvisionedThroughput: units })],
    });
    for (const of of ['table', 'index']) {
      const target = (ScalableDimension: string, MinCapacity: number, MaxCapacity: number) =>
        template.hasResourceProperties('AWS::ApplicationAutoScaling::ScalableTarget', { ScalableDimension, MinCapacity, MaxCapacity });
      target(`dynamodb:${of}:ReadCapacityUnits`, 10, 100);
      target(`dynamodb:${of}:WriteCapacityUnits`, 5, 400);
    }
    template.allResourcesProperties('AWS::ApplicationAutoScaling::ScalingPolicy', {
      TargetTrackingScalingPolicyConfiguration: Match.objectLike({ TargetValue: 70 }),
    });
    template.resourceCountIs('AWS::ApplicationAutoScaling::ScalingPolicy', 4);
  });

  it('by capacity takes another share', () => {
    const billing = TableBilling.provisioned({ maxReadCapacity: 50, maxWriteCapacity: 50, targetUtilizationPercent: 40 });

    tableWith({ billing }).allResourcesProperties('AWS::ApplicationAutoScaling::ScalingPolicy', {
      TargetTrackingScalingPolicyConfiguration: Match.objectLike({ TargetValue: 40 }),
    });
  });

  it('tells every bound that is none', () => {
    const billing = TableBilling.provisioned({
      minReadCapacity: 100,
      maxReadCapacity: 10,
      maxWriteCapacity: 0.5,
      targetUtilizationPercent: 95,
    });

    expect(mistakesWith({ billing })).toEqual([
      'billing: maxReadCapacity must be a whole number from 100 to 1000000000, got: 10',
      'billing: maxWriteCapacity must be a whole number from 5 to 1000000000, got: 0.5',
      'billing: targetUtilizationPercent must be a whole number from 20 to 90, got: 95',
    ]);
    expect(mistakesWith({ billing: TableBilling.onDemand({ maxReadRequestUnits: 0 }) })).toEqual([
      'billing: maxReadRequestUnits must be a whole number from 1 to 1000000000, got: 0',
    ]);
  });
});

describe('encryption', () => {
  it("by AWS's key in the account", () => {
    const template = tableWith({ encryption: TableEncryption.AWS_MANAGED });

    template.hasResourceProperties(TABLE, { SSESpecification: { SSEEnabled: true } });
    template.resourceCountIs('AWS::KMS::Key', 0);
  });

  it('by a key that is made: rotated, and kept as the table is', () => {
    const template = tableWith({ encryption: TableEncryption.CUSTOMER_MANAGED });

    template.hasResource('AWS::KMS::Key', { Properties: { EnableKeyRotation: true }, DeletionPolicy: 'Retain' });
    template.hasResourceProperties(TABLE, { SSESpecification: { SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() } });
  });

  it('by a given key, which need not be said twice', () => {
    let table: LimiterTable | undefined;
    const template = templateOf((stack) => {
      table = new LimiterTable(stack, 'Limiter', { encryptionKey: new Key(stack, 'Mine') });
    });

    template.resourceCountIs('AWS::KMS::Key', 1);
    template.hasResourceProperties(TABLE, {
      SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [Match.stringLikeRegexp('Mine'), 'Arn'] } },
    });
    expect(table?.encryptionKey?.node.id).toBe('Mine');
  });

  it('does not take a key and the word that there is none', () => {
    const told = mistakesOf((stack) => {
      new LimiterTable(stack, 'Limiter', { encryption: TableEncryption.AWS_MANAGED, encryptionKey: new Key(stack, 'Mine') });
    });

    expect(told).toEqual(['encryption must be CUSTOMER_MANAGED where there is an encryptionKey, got: AWS_MANAGED']);
  });
});

describe('recovery', () => {
  it('reaches as far back as it is told', () => {
    tableWith({ recoveryPeriod: Duration.days(7) }).hasResourceProperties(TABLE, {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
    });
  });

  it('can be off', () => {
    tableWith({ pointInTimeRecovery: false }).hasResourceProperties(TABLE, {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
    });
  });

  it('refuses a period that DynamoDB has not, and one for nothing', () => {
    expect(mistakesWith({ recoveryPeriod: Duration.days(36) })).toEqual(['recoveryPeriod must be whole days from 1 to 35, got: 36 days']);
    expect(mistakesWith({ pointInTimeRecovery: false, recoveryPeriod: Duration.days(3) })).toEqual([
      'recoveryPeriod must be left out where pointInTimeRecovery is off, got: both',
    ]);
  });
});

describe('the other props', () => {
  it('reach the table: name, protection, insights, tags, and what becomes of it', () => {
    const template = tableWith({
      tableName: 'limits',
      deletionProtection: true,
      contributorInsights: ContributorInsightsMode.THROTTLED_KEYS,
      tags: { team: 'platform' },
      removalPolicy: RemovalPolicy.DESTROY,
    });

    template.hasResource(TABLE, {
      DeletionPolicy: 'Delete',
      Properties: {
        TableName: 'limits',
        DeletionProtectionEnabled: true,
        ContributorInsightsSpecification: { Enabled: true, Mode: 'THROTTLED_KEYS' },
        Tags: [{ Key: 'team', Value: 'platform' }],
      },
    });
  });

  it('are told all that is wrong with them at once', () => {
    const tags = { 'aws:mine': 'x', long: 'x'.repeat(257), ok: 'x' };

    expect(mistakesWith({ tableName: 'a b', recoveryPeriod: Duration.hours(1), tags })).toEqual([
      "tableName must be 3 to 255 letters, digits, _, . or -, got: 'a b'",
      `recoveryPeriod must be whole days from 1 to 35, got: ${1 / 24} days`,
      "the key of a tag must have 1 to 128 characters and not begin with aws:, got: 'aws:mine'",
      "tag 'long' must have at most 256 characters, got: 257",
    ]);
    const many = Object.fromEntries(Array.from({ length: 46 }, (_, number) => [`tag-${number}`, 'x']));
    expect(mistakesWith({ tags: many })).toEqual(['tags must be at most 45, got: 46']);
  });
});
