import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { LimiterAlarmsOptions } from './limiter-alarms-props.js';

/** The alarms, by the names of the props that set them. */
type AlarmName = {
  [Key in keyof LimiterAlarmsOptions]-?: NonNullable<LimiterAlarmsOptions[Key]> extends { readonly evaluationPeriods?: number }
    ? Key
    : never;
}[keyof LimiterAlarmsOptions];

/** An alarm as it is unless props say otherwise. */
export interface AlarmPlan {
  readonly name: AlarmName;
  /** Its heading in the runbook. */
  readonly heading: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** The most that a threshold may be, in the unit that the prop is in. */
  readonly maxThreshold?: number;
  /** What the metric's unit is in that unit: milliseconds in a second, say. */
  readonly perUnit?: number;
  readonly evaluationPeriods: number;
  readonly maxEvaluationPeriods?: number;
  /** What it means, in a sentence, and what to do. */
  readonly advice: string;
}

/** How a heading is linked to, by the rule of most renderers of Markdown. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
