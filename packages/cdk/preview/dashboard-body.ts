import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { LimiterAlarms, LimiterDashboard, LimiterTable, UsageAggregator } from '../src/index.js';

/** A widget of a dashboard, as CloudWatch gets it. */
export interface Widget {
  readonly type: 'text' | 'metric' | 'alarm';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: WidgetProperties;
}

/** What of a widget's properties is drawn. */
interface WidgetProperties {
  readonly title?: string;
  readonly markdown?: string;
  readonly background?: 'solid' | 'transparent';
  readonly view?: 'timeSeries' | 'singleValue';
  readonly stacked?: boolean;
  readonly metrics?: readonly (readonly unknown[])[];
  readonly alarms?: readonly string[];
  readonly insightRule?: object;
  readonly yAxis?: { readonly left?: { readonly label?: string; readonly max?: number } };
  readonly annotations?: { readonly horizontal?: readonly { readonly value: number; readonly label?: string; readonly color?: string }[] };
}

/** The dashboard of a limiter that has everything, as a stack would deploy it. */
export function dashboardBody(): readonly Widget[] {
  const stack = new Stack(new App(), 'Limiter', { env: { account: '123456789012', region: 'us-east-1' } });
  const { table } = new LimiterTable(stack, 'Table', { tableName: 'millrace' });
  const aggregator = new UsageAggregator(stack, 'Aggregator', { table, thresholdPercent: 80 });
  const alarms = new LimiterAlarms(stack, 'Alarms', { table, aggregator });
  const callerLogGroups = [new LogGroup(stack, 'Callers')];
  new LimiterDashboard(stack, 'Dashboard', { table, aggregator, alarms, callerLogGroups });
  return widgetsIn(Template.fromStack(stack));
}

/** The widgets of the dashboard that a template has. */
export function widgetsIn(template: Template): readonly Widget[] {
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const names = new Map(Object.keys(template.findResources('AWS::DynamoDB::Table')).map((id) => [id, 'millrace']));
  return (JSON.parse(resolved(dashboard?.['Properties'].DashboardBody, names)) as { readonly widgets: readonly Widget[] }).widgets;
}

/** A text of a template, with names in the place of what is only known at deployment. */
function resolved(value: unknown, names: ReadonlyMap<string, string>): string {
  if (typeof value === 'string') return value;
  const [[kind, content]] = Object.entries(value as object) as [[string, unknown]];
  if (kind === 'Fn::Join') {
    const [separator, parts] = content as [string, unknown[]];
    return parts.map((part) => resolved(part, names)).join(separator);
  }
  const id = kind === 'Fn::GetAtt' ? (content as readonly string[])[0] : content;
  // `AlarmsLedgerGaps0B94D4A1` is the name of a resource in a template, with a hash.
  if (typeof id === 'string') return names.get(id) ?? id.replace(/[0-9A-F]{8}$/, '');
  throw new Error(`the preview does not know what to put in the place of ${kind}`);
}
