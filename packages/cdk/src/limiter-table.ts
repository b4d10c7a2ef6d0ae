import { TABLE_DEFINITION, TTL_ATTRIBUTE } from '@millrace/core';
import { RemovalPolicy } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { LimiterTableProps } from './limiter-table-props.js';
import { PropChecks } from './prop-checks.js';
import { TableCapacity } from './table-capacity.js';
import { TABLE_NAME, TABLE_NAME_WORDS } from './table-name.js';
import { addTags } from './tagging.js';

/**
 * The table of a limiter. Names, keys, indexes and the stream are core's, so that the construct and `createTable` make
 * the same one.
 */
export class LimiterTable extends Construct {
  /** The table itself. */
  readonly table: ITable;
  /** Its name, by which the SDK opens a limiter. */
  readonly tableName: string;
  /** Its ARN. */
  readonly tableArn: string;
  /** Its stream, on which each write is with the item before and after it. */
  readonly streamArn: string;
  /** The key that it is encrypted with, where that is a key of the account's. */
  readonly encryptionKey?: IKey;

  constructor(scope: Construct, id: string, props: LimiterTableProps = {}) {
    super(scope, id);
    const checks = new PropChecks(this);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    const encryption = this.encryptionOf(props, checks);
    this.encryptionKey =
      encryption === TableEncryption.CUSTOMER_MANAGED ? (props.encryptionKey ?? this.createKey(removalPolicy)) : undefined;
    const capacity = new TableCapacity(checks, props.billing);
    const table = this.createTable(props, checks, {
      removalPolicy,
      encryption,
      encryptionKey: this.encryptionKey,
      ...capacity.tableProps(),
    });
    for (const index of TABLE_DEFINITION.GlobalSecondaryIndexes) {
      table.addGlobalSecondaryIndex({
        indexName: index.IndexName,
        ...keysOf(index.KeySchema),
        projectionType: ProjectionType[index.Projection.ProjectionType],
        ...capacity.indexProps(),
      });
    }
    capacity.scale(
      table,
      TABLE_DEFINITION.GlobalSecondaryIndexes.map(({ IndexName: name }) => name),
    );
    addTags(this, checks, props.tags);
    this.table = table;
    this.tableName = table.tableName;
    this.tableArn = table.tableArn;
    // It has a stream, so it has its ARN.
    this.streamArn = table.tableStreamArn as string;
  }

  private createTable(props: LimiterTableProps, checks: PropChecks, given: object): Table {
    const { pointInTimeRecovery = true, deletionProtection = false, contributorInsights } = props;
    const tableName = checks.text('tableName', props.tableName, TABLE_NAME, TABLE_NAME_WORDS);
    const recoveryPeriod = checks.days('recoveryPeriod', props.recoveryPeriod, 1, 35);
    if (!pointInTimeRecovery && props.recoveryPeriod !== undefined) {
      checks.refuse('recoveryPeriod must be left out where pointInTimeRecovery is off, got: both');
    }
    return new Table(this, 'Resource', {
      ...keysOf(TABLE_DEFINITION.KeySchema),
      ...given,
      tableName,
      timeToLiveAttribute: TTL_ATTRIBUTE,
      stream: StreamViewType[TABLE_DEFINITION.StreamSpecification.StreamViewType],
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: pointInTimeRecovery,
        recoveryPeriodInDays: pointInTimeRecovery ? recoveryPeriod?.toDays() : undefined,
      },
      deletionProtection,
      contributorInsightsSpecification: contributorInsights && { enabled: true, mode: contributorInsights },
    });
  }

  private encryptionOf({ encryption, encryptionKey }: LimiterTableProps, checks: PropChecks): TableEncryption {
    if (encryptionKey === undefined) return encryption ?? TableEncryption.DEFAULT;
    if (encryption !== undefined && encryption !== TableEncryption.CUSTOMER_MANAGED) {
      checks.refuse(`encryption must be CUSTOMER_MANAGED where there is an encryptionKey, got: ${encryption}`);
    }
    return TableEncryption.CUSTOMER_MANAGED;
  }

  private createKey(removalPolicy: RemovalPolicy): Key {
    return new Key(this, 'Key', { description: `The table of ${this.node.path}`, enableKeyRotation: true, removalPolicy });
  }
}

/** Keys in the construct's words. All of them are texts. */
function keysOf(schema: (typeof TABLE_DEFINITION)['KeySchema'] | (typeof TABLE_DEFINITION)['GlobalSecondaryIndexes'][0]['KeySchema']) {
  const [partitionKey, sortKey] = schema.map(({ AttributeName: name }): Attribute => ({ name, type: AttributeType.STRING }));
  return { partitionKey: partitionKey as Attribute, sortKey: sortKey as Attribute };
}
