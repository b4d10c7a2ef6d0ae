import { TABLE_DEFINITION, TTL_ATTRIBUTE } from '@millrace/core';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';

/** The table of a limiter. Names and keys are core's, so that the construct and `createTable` make the same one. */
export class LimiterTable extends Construct {
  /** The table itself. */
  readonly table: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const [partition, sort] = TABLE_DEFINITION.KeySchema;
    this.table = new Table(this, 'Resource', {
      partitionKey: { name: partition.AttributeName, type: AttributeType.STRING },
      sortKey: { name: sort.AttributeName, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: TTL_ATTRIBUTE,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
  }
}
