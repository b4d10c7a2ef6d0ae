import { Annotations, ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct, IDependable } from 'constructs';
import type { PropChecks } from '../prop-checks.js';

/** A topic, and the key that it is encrypted with, as far as it is known. */
export interface AlarmTopic {
  readonly topic: ITopic;
  readonly key?: IKey;
}

/** A service of AWS that tells a topic something. */
interface Teller {
  readonly principal: string;
  /** What it tells, as the names of statements and warnings say it. */
  readonly plural: 'Alarms' | 'Budgets';
  /** In the name of what. */
  readonly sourceArn?: string;
}

/** Makes a topic, or takes the one given, to which alarms can publish. */
export function alarmTopic(scope: Construct, given: ITopic | undefined, givenKey: IKey | undefined, checks: PropChecks): AlarmTopic {
  const key = checkKey(givenKey, checks);
  const topic = given ?? new Topic(scope, 'Topic', { enforceSSL: true, masterKey: key });
  const found = { topic, key: key ?? checkKey(topic.masterKey, checks) };
  const alarms = { service: 'cloudwatch', resource: 'alarm', resourceName: '*', arnFormat: ArnFormat.COLON_RESOURCE_NAME };
  const sourceArn = Stack.of(scope).formatArn(alarms);
  allowToTell(scope, found, { principal: 'cloudwatch.amazonaws.com', plural: 'Alarms', sourceArn });
  return found;
}

/** Lets AWS Budgets publish to a topic. What is returned must be there before a budget: the topic is tried when that is made. */
export function allowBudgets(scope: Construct, topic: AlarmTopic): IDependable | undefined {
  return allowToTell(scope, topic, { principal: 'budgets.amazonaws.com', plural: 'Budgets' });
}

/**
 * Lets a service publish. A topic's first policy of its own (that it must be reached by TLS is one) takes the place of the
 * default one, by which alarms could: they would go off, and nobody would hear of it.
 */
function allowToTell(scope: Construct, { topic, key }: AlarmTopic, { principal, plural, sourceArn }: Teller): IDependable | undefined {
  const fromAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  const { statementAdded, policyDependable } = topic.addToResourcePolicy(
    new PolicyStatement({
      sid: `Allow${plural}ToPublish`,
      principals: [new ServicePrincipal(principal)],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: sourceArn === undefined ? fromAccount : { ...fromAccount, ArnLike: { 'aws:SourceArn': sourceArn } },
    }),
  );
  const warn = (id: string, what: string, actions: string): void => {
    const message = `${plural.toLowerCase()} may be silent: ${what} cannot be changed from here; let ${principal} do ${actions} there`;
    Annotations.of(scope).addWarningV2(`@millrace/cdk:${id}${plural === 'Alarms' ? '' : plural}`, message);
  };
  if (!statementAdded) warn('topicPolicy', 'the policy of an imported topic', 'sns:Publish');
  if (key !== undefined && !allowKey(key, principal, plural, fromAccount)) {
    warn('topicKeyPolicy', 'the policy of an imported key', 'kms:Decrypt and kms:GenerateDataKey*');
  }
  return policyDependable;
}

/** Lets a service use a key: without that, its messages to an encrypted topic are lost. */
function allowKey(key: IKey, principal: string, plural: Teller['plural'], conditions: Record<string, unknown>): boolean {
  const { statementAdded } = key.addToResourcePolicy(
    new PolicyStatement({
      sid: `Allow${plural}ToEncrypt`,
      principals: [new ServicePrincipal(principal)],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions,
    }),
  );
  return statementAdded;
}

function checkKey(key: IKey | undefined, checks: PropChecks): IKey | undefined {
  if (key === undefined || !key.keyId.endsWith('alias/aws/sns')) return key;
  return checks.refuse("topicKey must be a customer key, got: 'alias/aws/sns', which CloudWatch cannot use");
}
