import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { SCHEMA_VERSION, TABLE_DEFINITION, TTL_ATTRIBUTE } from '@millrace/core';
import { tableStatus } from '@millrace/limiter/admin';
import { afterAll, describe, expect, it } from 'vitest';
import { cdk } from './command-line.js';
import { deployed, roleSession } from './deployed.js';

describe('the deployed table', () => {
  const client = new DynamoDBClient({});
  const TableName = deployed.table;
  afterAll(() => client.destroy());

  it('is the one that the SDK would create', async () => {
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName }));

    expect(table?.KeySchema).toEqual(TABLE_DEFINITION.KeySchema);
    expect(table?.GlobalSecondaryIndexes).toMatchObject(TABLE_DEFINITION.GlobalSecondaryIndexes);
    expect(table?.StreamSpecification).toMatchObject(TABLE_DEFINITION.StreamSpecification);
  });

  it('forgets what has expired, and can be restored', async () => {
    const { TimeToLiveDescription: expiry } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    const { ContinuousBackupsDescription: backups } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));

    expect(expiry).toEqual({ AttributeName: TTL_ATTRIBUTE, TimeToLiveStatus: 'ENABLED' });
    expect(backups?.PointInTimeRecoveryDescription).toMatchObject({ PointInTimeRecoveryStatus: 'ENABLED' });
  });

  it('tells a reader how it is; its schema was recorded with its first namespace, which the deployment has registered', async () => {
    expect(await tableStatus({ table: TableName, credentials: await roleSession('Read') })).toMatchObject({
      status: 'ACTIVE',
      stream: true,
      timeToLive: true,
      pointInTimeRecovery: true,
      readable: true,
      schemaVersion: SCHEMA_VERSION,
    });
  });

  it('is what the app says: a diff is empty', async () => {
    const { code, said } = await cdk('diff', '--all', '--fail', '-c', `namespaceIds=${deployed.namespaceIds['tenant-a']}`);

    expect(said).toContain('There were no differences');
    expect(code).toBe(0);
  });
});
