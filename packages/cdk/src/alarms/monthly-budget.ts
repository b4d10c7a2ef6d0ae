import { Stack, Token } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { PropChecks } from '../prop-checks.js';

/** What a month may cost, for AWS Budgets. */
export interface MonthlyBudget {
  /** Dollars a month. The topic is told at 80 percent of it, and when the month is foreseen to exceed it. */
  readonly usd: number;

  /**
   * The key of a tag that the limiter's resources carry and that is activated for cost allocation.
   *
   * @default - all of DynamoDB in the account is counted
   */
  readonly tagKey?: string;

  /**
   * The value of that tag.
   *
   * @default - any, if there is a key
   */
  readonly tagValue?: string;
}

const WARN_PERCENT = 80;

/** Makes the budget, and lets it tell the topic. */
export function createBudget(scope: Construct, budget: MonthlyBudget, topic: ITopic, checks: PropChecks): CfnBudget | undefined {
  const { usd, tagKey, tagValue } = budget;
  if (!Token.isUnresolved(usd) && !(usd > 0 && Number.isFinite(usd))) {
    return checks.refuse(`monthlyBudget.usd must be a number of dollars above 0, got: ${usd}`);
  }
  if (tagValue !== undefined && tagKey === undefined) return checks.refuse('monthlyBudget.tagValue needs monthlyBudget.tagKey');
  const subscribers = [{ subscriptionType: 'SNS', address: topic.topicArn }];
  const notification = (notificationType: string, threshold: number) => ({
    notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
    subscribers,
  });
  const filter = tagKey === undefined ? { Service: ['Amazon DynamoDB'] } : { TagKeyValue: [`user:${tagKey}$${tagValue ?? ''}`] };
  const made = new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' }, costFilters: filter },
    notificationsWithSubscribers: [notification('ACTUAL', WARN_PERCENT), notification('FORECASTED', 100)],
  });
  const { policyDependable } = topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AllowBudgetsToPublish',
      principals: [new ServicePrincipal('budgets.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  // Budgets tries the topic when the budget is made.
  if (policyDependable !== undefined) made.node.addDependency(policyDependable);
  return made;
}
