import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { TABLE_DEFINITION } from '@millrace/core';
import type { LocalEngine } from '@millrace/testing';

/** A table as releases made it that knew no index, without anything in it. */
export async function createOlderTable({ endpoint, region, credentials }: LocalEngine, table: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region, credentials });
  const { KeySchema: keys, AttributeDefinitions: attributes, BillingMode, StreamSpecification } = TABLE_DEFINITION;
  const isKey = (name: string): boolean => keys.some(({ AttributeName }) => AttributeName === name);
  await client.send(
    new CreateTableCommand({
      TableName: table,
      KeySchema: [...keys],
      AttributeDefinitions: attributes.filter(({ AttributeName }) => isKey(AttributeName)),
      BillingMode,
      StreamSpecification,
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: table });
  client.destroy();
}
