import { Token } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import { type OptionNames, type PropChecks, shown } from '../prop-checks.js';
import { type AlarmTopic, allowBudgets } from './alarm-topic.js';

/** What a month may cost, for AWS Budgets. */
export interface MonthlyBudget {
  /** Dollars a month. The topic is told at 80 percent of it, and when the month is foreseen to exceed it. */
  readonly usd: number;

  /**
   * The key of a tag that the limiter's resources carry and that is activated for cost allocation. It takes `tagValue`, too.
   *
   * @default - all of DynamoDB in the account is counted
   */
  readonly tagKey?: string;

  /**
   * The value of that tag: AWS Budgets knows no tag of any value.
   *
   * @default - none, as there is no key
   */
  readonly tagValue?: string;
}

const WARN_PERCENT = 80;

const BUDGET_OPTIONS: OptionNames<MonthlyBudget> = { usd: true, tagKey: true, tagValue: true };

/** Makes the budget, and lets it tell the topic. */
export function createBudget(scope: Construct, given: MonthlyBudget, told: AlarmTopic, checks: PropChecks): CfnBudget | undefined {
  const budget = checks.options('monthlyBudget', given, BUDGET_OPTIONS);
  if (budget === undefined) return undefined;
  const { usd, tagKey, tagValue } = budget;
  if (!Token.isUnresolved(usd) && !(Number.isFinite(usd) && usd > 0)) {
    return checks.refuse(`monthlyBudget.usd must be a number of dollars above 0, got: ${shown(usd)}`);
  }
  if ((tagValue === undefined) !== (tagKey === undefined)) {
    const [given, missing] = tagKey === undefined ? ['tagValue', 'tagKey'] : ['tagKey', 'tagValue'];
    return checks.refuse(`monthlyBudget.${missing} must be set beside monthlyBudget.${given}: AWS Budgets counts what has both`);
  }
  const subscribers = [{ subscriptionType: 'SNS', address: told.topic.topicArn }];
  const notification = (notificationType: string, threshold: number) => ({
    notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
    subscribers,
  });
  const filter = tagKey === undefined ? { Service: ['Amazon DynamoDB'] } : { TagKeyValue: [`user:${tagKey}$${tagValue}`] };
  const made = new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' }, costFilters: filter },
    notificationsWithSubscribers: [notification('ACTUAL', WARN_PERCENT), notification('FORECASTED', 100)],
  });
  const allowed = allowBudgets(scope, told);
  if (allowed !== undefined) made.node.addDependency(allowed);
  return made;
}
