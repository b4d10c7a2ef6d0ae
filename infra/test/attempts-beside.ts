import { CloudWatchClient, DisableAlarmActionsCommand } from '@aws-sdk/client-cloudwatch';
import {
  CreateBackupCommand,
  CreateTableCommand,
  DynamoDBClient,
  ExecuteStatementCommand,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { TTL_ATTRIBUTE } from '@millrace/core';
import type { Deployed } from './deployed.js';
import type { Session } from './session.js';

const NAME = 'permission-probe';

/** What may be tried on the table as a whole, and on what is beside it in the stack. No grant of a limiter is for any of it. */
export function attemptsBeside(credentials: Session, deployed: Deployed): Record<string, () => Promise<unknown>> {
  const { table: TableName, auditBucket: Bucket, aggregator: FunctionName, failureQueue: QueueUrl, alarmTopic: TopicArn } = deployed;
  const [dynamo, lambda, sqs] = [new DynamoDBClient({ credentials }), new LambdaClient({ credentials }), new SQSClient({ credentials })];
  const [s3, sns] = [new S3Client({ credentials, forcePathStyle: true }), new SNSClient({ credentials })];
  const object = { Bucket, Key: NAME };
  const key = [{ AttributeName: 'PK', AttributeType: 'S' as const, KeyType: 'HASH' as const }];
  const create = { TableName: NAME, BillingMode: 'PAY_PER_REQUEST' as const, KeySchema: key, AttributeDefinitions: key };
  const recovery = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } };
  const expiry = { TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: false } };
  return {
    'create a table': () => dynamo.send(new CreateTableCommand(create)),
    'back the table up': () => dynamo.send(new CreateBackupCommand({ TableName, BackupName: NAME })),
    'give up that the table can be restored': () => dynamo.send(new UpdateContinuousBackupsCommand({ TableName, ...recovery })),
    'let nothing expire': () => dynamo.send(new UpdateTimeToLiveCommand({ TableName, ...expiry })),
    'read the table by PartiQL': () => dynamo.send(new ExecuteStatementCommand({ Statement: `SELECT * FROM "${TableName}"` })),
    'read the archive': () => s3.send(new GetObjectCommand(object)),
    'write into the archive': () => s3.send(new PutObjectCommand({ ...object, Body: NAME })),
    'delete from the archive': () => s3.send(new DeleteObjectCommand(object)),
    'take a failure message': () => sqs.send(new ReceiveMessageCommand({ QueueUrl })),
    'throw the failure messages away': () => sqs.send(new PurgeQueueCommand({ QueueUrl })),
    'invoke the aggregator': () => lambda.send(new InvokeCommand({ FunctionName, Payload: '{"Records":[]}' })),
    'change the aggregator': () => lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Description: NAME })),
    'tell those who are told of alarms': () => sns.send(new PublishCommand({ TopicArn, Message: NAME })),
    'silence an alarm': () => new CloudWatchClient({ credentials }).send(new DisableAlarmActionsCommand({ AlarmNames: [NAME] })),
  };
}
