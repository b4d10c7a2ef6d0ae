import { Annotations, ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { PropChecks } from '../prop-checks.js';

const CLOUDWATCH = new ServicePrincipal('cloudwatch.amazonaws.com');

/** Makes a topic, or takes the one given, to which alarms can publish. */
export function alarmTopic(scope: Construct, given: ITopic | undefined, givenKey: IKey | undefined, checks: PropChecks): ITopic {
  const key = checkKey(givenKey, checks);
  const topic = given ?? new Topic(scope, 'Topic', { enforceSSL: true, masterKey: key });
  allowAlarms(scope, topic);
  const encryptedBy = key ?? checkKey(topic.masterKey, checks);
  if (encryptedBy !== undefined) allowKey(scope, encryptedBy);
  return topic;
}

/**
 * Lets CloudWatch publish. A topic's first policy of its own (that it must be reached by TLS is one) takes the place of the
 * default one, by which it could: alarms would go off, and nobody would hear of it.
 */
function allowAlarms(scope: Construct, topic: ITopic): void {
  const stack = Stack.of(scope);
  const { statementAdded } = topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AllowAlarmsToPublish',
      principals: [CLOUDWATCH],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: {
          'aws:SourceArn': stack.formatArn({
            service: 'cloudwatch',
            resource: 'alarm',
            resourceName: '*',
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
  if (!statementAdded) warn(scope, 'topicPolicy', 'the policy of an imported topic', 'sns:Publish');
}

/** Lets CloudWatch use a key: without that, messages to an encrypted topic are lost. */
function allowKey(scope: Construct, key: IKey): void {
  const { statementAdded } = key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AllowAlarmsToEncrypt',
      principals: [CLOUDWATCH],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  if (!statementAdded) warn(scope, 'topicKeyPolicy', 'the policy of an imported key', 'kms:Decrypt and kms:GenerateDataKey*');
}

function warn(scope: Construct, id: string, what: string, actions: string): void {
  const message = `alarms may be silent: ${what} cannot be changed from here; let cloudwatch.amazonaws.com do ${actions} there`;
  Annotations.of(scope).addWarningV2(`@millrace/cdk:${id}`, message);
}

function checkKey(key: IKey | undefined, checks: PropChecks): IKey | undefined {
  if (key === undefined || !key.keyId.endsWith('alias/aws/sns')) return key;
  return checks.refuse("topicKey must be a customer key, got: 'alias/aws/sns', which CloudWatch cannot use");
}
