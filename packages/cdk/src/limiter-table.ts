import { TABLE_DEFINITION, TTL_ATTRIBUTE } from '@millrace/core';
import { RemovalPolicy } from 'aws-cdk-lib';
import { type Attribute, AttributeType, BillingMode, type ITable, ProjectionType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

/** How the table of a limiter is made. */
export interface LimiterTableProps {
  /**
   * The name of the table.
   *
   * @default - CloudFormation makes one up
   */
  readonly tableName?: string;

  /**
   * What becomes of the table when it leaves the stack.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** The table of a limiter. Names and keys are core's, so that the construct and `createTable` make the same one. */
export class LimiterTable extends Construct {
  /** The table itself. */
  readonly table: ITable;
  /** Its name, by which the SDK opens a limiter. */
  readonly tableName: string;
  /** Its ARN. */
  readonly tableArn: string;
  /** Its stream, on which each write is with the item before and after it. */
  readonly streamArn: string;
  /** The key that it is encrypted with, where that is a key of this account's. */
  readonly encryptionKey?: IKey;

  constructor(scope: Construct, id: string, props: LimiterTableProps = {}) {
    super(scope, id);
    const [partitionKey, sortKey] = TABLE_DEFINITION.KeySchema.map(attributeOf);
    const table = new Table(this, 'Resource', {
      tableName: props.tableName,
      partitionKey: partitionKey as Attribute,
      sortKey: sortKey as Attribute,
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: TTL_ATTRIBUTE,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    });
    for (const index of TABLE_DEFINITION.GlobalSecondaryIndexes) {
      const [indexPartitionKey, indexSortKey] = index.KeySchema.map(attributeOf);
      table.addGlobalSecondaryIndex({
        indexName: index.IndexName,
        partitionKey: indexPartitionKey as Attribute,
        sortKey: indexSortKey as Attribute,
        projectionType: ProjectionType[index.Projection.ProjectionType],
      });
    }
    this.table = table;
    this.tableName = table.tableName;
    this.tableArn = table.tableArn;
    this.streamArn = table.tableStreamArn as string;
  }
}

function attributeOf({ AttributeName: name }: { readonly AttributeName: string }): Attribute {
  return { name, type: AttributeType.STRING };
}
