import { METRICS_NAMESPACE } from '@millrace/core';
import { Token } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { checkGiven, type OptionNames, PropChecks, shown } from '../prop-checks.js';
import { aggregatorPlans } from './aggregator-plans.js';
import type { AlarmPlan } from './alarm-plan.js';
import type { AlarmSettings } from './alarm-settings.js';
import { alarmTopic } from './alarm-topic.js';
import type { LimiterAlarmsProps } from './limiter-alarms-props.js';
import { createBudget } from './monthly-budget.js';
import { runbookPart, WEB_ADDRESS, WEB_ADDRESS_WORDS } from './runbook.js';
import { tablePlans } from './table-plans.js';
import { pricesFor } from './unit-prices.js';
import { WatchedMetrics } from './watched-metrics.js';

const MAX_PERIODS = 100;

const ALARM_SETTINGS: OptionNames<AlarmSettings> = { enabled: true, threshold: true, evaluationPeriods: true };

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
    checkGiven(this, props, 'table', 'the table of a limiter (limiter.table.table)');
    this.props = props;
    this.checks = new PropChecks(this);
    this.checks.text('runbookUrl', props.runbookUrl, WEB_ADDRESS, WEB_ADDRESS_WORDS);
    const told = alarmTopic(this, props.topic, props.topicKey, this.checks);
    this.topic = told.topic;
    const { aggregator, table } = props;
    const namespace = this.checks.metricsNamespace(props.metricsNamespace) ?? aggregator?.metricsNamespace ?? METRICS_NAMESPACE;
    const prices = pricesFor(this, this.checks, props.prices);
    const plans = [
      ...(aggregator === undefined ? [] : aggregatorPlans(aggregator)),
      ...tablePlans(new WatchedMetrics(table, namespace), prices),
    ];
    const action = new SnsAction(this.topic);
    const alarms = plans.map((plan) => {
      const settings = this.checks.options(plan.name, props[plan.name], ALARM_SETTINGS) ?? {};
      return settings.enabled === false ? undefined : this.createAlarm(plan, settings, action);
    });
    this.alarms = alarms.filter((alarm) => alarm !== undefined);
    if (props.monthlyBudget !== undefined) createBudget(this, props.monthlyBudget, told, this.checks);
  }

  private createAlarm(plan: AlarmPlan, settings: AlarmSettings, action: SnsAction): Alarm {
    const { name, heading, advice, maxEvaluationPeriods = MAX_PERIODS } = plan;
    const evaluationPeriods = this.checks.wholeNumber(`${name}.evaluationPeriods`, settings.evaluationPeriods, 1, maxEvaluationPeriods);
    const alarm = new Alarm(this, `${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
      metric: plan.metric,
      threshold: this.thresholdOf(plan, settings.threshold),
      evaluationPeriods: evaluationPeriods ?? plan.evaluationPeriods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${heading}. ${advice} ${runbookPart(this.props.runbookUrl, heading)}`,
    });
    alarm.addAlarmAction(action);
    if (this.props.notifyWhenOver !== false) alarm.addOkAction(action);
    return alarm;
  }

  private thresholdOf({ name, threshold, maxThreshold = Number.MAX_SAFE_INTEGER, perUnit = 1 }: AlarmPlan, given?: number): number {
    if (given === undefined) return threshold * perUnit;
    if (Token.isUnresolved(given) && perUnit === 1) return given;
    if (typeof given === 'number' && given > 0 && given <= maxThreshold) return given * perUnit;
    this.checks.refuse(`${name}.threshold must be a number above 0 and at most ${maxThreshold}, got: ${shown(given)}`);
    return threshold * perUnit;
  }
}
