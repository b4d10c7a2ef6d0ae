import { awsHandler, awsSealer, environmentOf, SCHEDULE_EVENT, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { emfSink, reportLedger, reportMetrics } from '@millrace/limiter/metrics';
import { EngineStream, launchEngine, StreamPump } from '@millrace/testing';
import type { Template } from 'aws-cdk-lib/assertions';

/** A metric as CloudWatch tells it from others; what is known of a dimension at deployment only is the logical id. */
export interface MetricName {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

type Json = null | string | number | boolean | readonly Json[] | { readonly [name: string]: Json };

/** One text for each metric, so that sets of them can be compared. */
export function textOf({ namespace, name, dimensions }: MetricName): string {
  const pairs = Object.entries(dimensions).map(([dimension, value]) => `${dimension}=${value}`);
  return `${namespace} ${name} {${pairs.sort().join(', ')}}`;
}

/** A value of a template as text: a table by its name, other resources by their logical ids. */
export function known(template: Template, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  const [[kind, content]] = Object.entries(value as object) as [[string, unknown]];
  if (kind === 'Fn::Join') {
    const [separator, parts] = content as [string, readonly unknown[]];
    return parts.map((part) => known(template, part)).join(separator);
  }
  const id = String(kind === 'Fn::GetAtt' ? (content as readonly string[])[0] : content);
  return template.findResources('AWS::DynamoDB::Table')[id]?.['Properties'].TableName ?? id;
}

/** The metrics that alarms compare with a threshold, those of their expressions included. */
export function alarmedMetrics(template: Template): readonly MetricName[] {
  return Object.values(template.findResources('AWS::CloudWatch::Alarm')).flatMap(({ Properties: properties }) =>
    [properties, ...(properties.Metrics ?? []).map((query: { MetricStat?: { Metric: object } }) => query.MetricStat?.Metric)]
      .filter((metric) => metric?.MetricName !== undefined)
      .map(({ Namespace: namespace, MetricName: name, Dimensions: dimensions }) => ({
        namespace,
        name,
        dimensions: Object.fromEntries(
          (dimensions as { Name: string; Value: unknown }[]).map(({ Name, Value }) => [Name, known(template, Value)]),
        ),
      })),
  );
}

/** The metrics that widgets draw. What is searched for is one, too: a dimension that takes any value is a star. */
export function drawnMetrics(template: Template): readonly MetricName[] {
  return Object.values(template.findResources('AWS::CloudWatch::Dashboard')).flatMap(({ Properties: properties }) => {
    const { widgets } = JSON.parse(known(template, properties.DashboardBody)) as {
      readonly widgets: readonly { readonly properties: { readonly metrics?: readonly (readonly Json[])[] } }[];
    };
    return widgets.flatMap(({ properties: { metrics = [] } }) => metrics.flatMap(drawnMetric));
  });
}

function drawnMetric(metric: readonly Json[]): readonly MetricName[] {
  const texts = metric.filter((part) => typeof part === 'string');
  if (texts.length === 0) return searchedMetric((metric[0] as { readonly expression?: string }).expression ?? '');
  const [namespace = '', name = '', ...pairs] = texts;
  return [
    { namespace, name, dimensions: Object.fromEntries(pairs.flatMap((pair, at) => (at % 2 === 0 ? [[pair, pairs[at + 1] ?? '']] : []))) },
  ];
}

function searchedMetric(expression: string): readonly MetricName[] {
  const [, schema] = /SEARCH\('\{([^}]*)\}/.exec(expression) ?? [];
  if (schema === undefined) return [];
  const [namespace = '', ...dimensions] = schema.split(',').map((part) => JSON.parse(part) as string);
  const valued = (name: string): string => new RegExp(`[ ]${name}="([^"]*)"`).exec(expression)?.[1] ?? '*';
  return [{ namespace, name: valued('MetricName'), dimensions: Object.fromEntries(dimensions.map((name) => [name, valued(name)])) }];
}

/** A line of the embedded metric format, or of any other JSON. */
export interface EmbeddedLine extends Readonly<Record<string, unknown>> {
  readonly _aws?: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
}

/** The metrics that CloudWatch makes of a line: of each set of dimensions one. */
export function metricsOf(line: EmbeddedLine): readonly (MetricName & { readonly value: unknown })[] {
  return (line._aws?.CloudWatchMetrics ?? []).flatMap(({ Namespace: namespace, Dimensions: sets, Metrics: metrics }) =>
    metrics.flatMap(({ Name: name }) =>
      sets.map((set) => ({
        namespace,
        name,
        dimensions: Object.fromEntries(set.map((dimension) => [dimension, String(line[dimension])])),
        value: line[name],
      })),
    ),
  );
}

const DAY_MS = 86_400_000;
const CONTEXT = { getRemainingTimeInMillis: () => 60_000 };

/**
 * All that is written where a service reports in a namespace, and the function is told what a template tells it: a batch of the
 * stream, a round that seals and checks, and a report of the ledger.
 */
export async function linesWritten(template: Template, namespace: string): Promise<readonly EmbeddedLine[]> {
  await using engine = await launchEngine();
  const { endpoint, region, credentials } = engine;
  const [lambda] = Object.values(template.findResources('AWS::Lambda::Function'));
  const variables = Object.entries(lambda?.['Properties'].Environment.Variables).map(([name, value]) => [name, known(template, value)]);
  const environment = environmentOf({ ...Object.fromEntries(variables), AWS_REGION: region });
  const { table } = environment;
  const lines: EmbeddedLine[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as EmbeddedLine);
  const parts = { connection: { endpoint, region, credentials }, write };

  await createTable({ table, endpoint, region, credentials });
  const source = await EngineStream.open(engine, table);
  const limiter = await RateLimiter.open({ table, endpoint, region, credentials });
  const sink = emfSink({ write });
  reportMetrics(limiter, { sink, namespace, topEntities: 5 });
  await limiter.limits.setResource('gpt-4', [Limit.perMinute('rpm', 2)]);
  for (let turn = 0; turn < 3; turn += 1) await limiter.tryAcquire('key-1', 'gpt-4', { rpm: 1 });
  await new StreamPump({ source, handler: awsHandler(environment, parts), filters: STREAM_FILTERS }).drain();
  await reportLedger(limiter, await limiter.usage.verify({ settleMs: 0 }), { sink, namespace });
  await limiter.close();
  await awsSealer(environment, { ...parts, clock: { nowMs: () => Date.now() + 3 * DAY_MS } })(SCHEDULE_EVENT, CONTEXT);
  source.close();
  return lines;
}
