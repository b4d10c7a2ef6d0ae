import { METRICS_NAMESPACE } from '@millrace/core';
import { Token } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { PropChecks } from '../prop-checks.js';
import { aggregatorPlans } from './aggregator-plans.js';
import type { AlarmPlan } from './alarm-plan.js';
import { alarmTopic } from './alarm-topic.js';
import type { LimiterAlarmsProps } from './limiter-alarms-props.js';
import { createBudget } from './monthly-budget.js';
import { runbookPart, WEB_ADDRESS, WEB_ADDRESS_WORDS } from './runbook.js';
import { tablePlans } from './table-plans.js';
import { regionalPrices } from './unit-prices.js';
import { WatchedMetrics } from './watched-metrics.js';

const MAX_PERIODS = 100;

/**
 * What an operator wants to be told of: each alarm says in its description what it means, what to do, and where the
 * runbook has more. Where there are no data there is no alarm, so those on what services report are silent until one does.
 */
export class LimiterAlarms extends Construct {
  /** Whom the alarms tell. */
  readonly topic: ITopic;
  /** The alarms, in the order in which they are looked at. */
  readonly alarms: Alarm[];
  private readonly checks: PropChecks;
  private readonly props: LimiterAlarmsProps;

  constructor(scope: Construct, id: string, props: LimiterAlarmsProps) {
    super(scope, id);
    this.props = props;
    this.checks = new PropChecks(this);
    this.checks.text('runbookUrl', props.runbookUrl, WEB_ADDRESS, WEB_ADDRESS_WORDS);
    this.topic = alarmTopic(this, props.topic, props.topicKey, this.checks);
    const { aggregator, table } = props;
    const namespace = props.metricsNamespace ?? aggregator?.metricsNamespace ?? METRICS_NAMESPACE;
    const prices = props.prices ?? regionalPrices(this);
    const plans = [
      ...(aggregator === undefined ? [] : aggregatorPlans(aggregator)),
      ...tablePlans(new WatchedMetrics(table, namespace), prices),
    ];
    const action = new SnsAction(this.topic);
    this.alarms = plans.filter(({ name }) => props[name]?.enabled !== false).map((plan) => this.createAlarm(plan, action));
    if (props.monthlyBudget !== undefined) createBudget(this, props.monthlyBudget, this.topic, this.checks);
  }

  private createAlarm(plan: AlarmPlan, action: SnsAction): Alarm {
    const { name, heading, advice } = plan;
    const periods = this.props[name]?.evaluationPeriods;
    const evaluationPeriods = this.checks.wholeNumber(`${name}.evaluationPeriods`, periods, 1, plan.maxEvaluationPeriods ?? MAX_PERIODS);
    const alarm = new Alarm(this, `${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
      metric: plan.metric,
      threshold: this.thresholdOf(plan),
      evaluationPeriods: evaluationPeriods ?? plan.evaluationPeriods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${heading}. ${advice} ${runbookPart(this.props.runbookUrl, heading)}`,
    });
    alarm.addAlarmAction(action);
    if (this.props.notifyWhenOver !== false) alarm.addOkAction(action);
    return alarm;
  }

  private thresholdOf({ name, threshold, maxThreshold = Number.MAX_SAFE_INTEGER, perUnit = 1 }: AlarmPlan): number {
    const given = this.props[name]?.threshold;
    if (given === undefined) return threshold * perUnit;
    if (Token.isUnresolved(given) && perUnit === 1) return given;
    if (given > 0 && given <= maxThreshold) return given * perUnit;
    this.checks.refuse(`${name}.threshold must be above 0 and at most ${maxThreshold}, got: ${given}`);
    return threshold * perUnit;
  }
}
