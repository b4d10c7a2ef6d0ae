import { RateLimiter, type RateLimiterProps } from '@millrace/cdk';
import { METRICS_NAMESPACE } from '@millrace/core';
import { Template } from 'aws-cdk-lib/assertions';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  alarmedMetrics,
  drawnMetrics,
  type EmbeddedLine,
  known,
  linesWritten,
  type MetricName,
  metricsOf,
  textOf,
} from './metrics-world.js';
import { newStack } from './synth.js';

const TABLE = 'limits';

/** A limiter that has everything, and the metrics that its own methods give. */
function deployed(props: RateLimiterProps) {
  const stack = newStack();
  const limiter = new RateLimiter(stack, 'Limiter', {
    ...props,
    tableName: TABLE,
    dashboard: { callerLogGroups: [new LogGroup(stack, 'Callers')] },
    aggregator: { ...props.aggregator, thresholdPercent: 80 },
  });
  const template = Template.fromStack(stack);
  const given = [...metricsGivenBy(limiter), ...metricsGivenBy(limiter.aggregator)].map(
    ({ namespace, metricName: name, dimensions = {} }) => ({
      namespace,
      name,
      dimensions: Object.fromEntries(Object.entries(dimensions).map(([key, value]) => [key, known(template, stack.resolve(value))])),
    }),
  );
  return { template, given };
}

/** What the methods of a construct give that name a metric by themselves. */
function metricsGivenBy(construct: object | undefined): readonly Metric[] {
  const metrics: Metric[] = [];
  for (let type = Object.getPrototypeOf(construct); type !== null; type = Object.getPrototypeOf(type)) {
    for (const name of Object.getOwnPropertyNames(type).filter((member) => /^metric[A-Z]/.test(member))) {
      if (['metricsNamespace', 'metricMillrace', 'metricOf'].includes(name)) continue;
      const metric: unknown = (construct as Record<string, () => unknown>)[name]?.();
      if (metric instanceof Metric) metrics.push(metric);
    }
  }
  return metrics;
}

/** AWS's own metrics that are looked at, with the dimensions that AWS has them under, by its documents. */
const OF_AWS: Readonly<Record<string, { readonly names: readonly string[]; readonly dimensions: readonly string[] }[]>> = {
  'AWS/Lambda': [{ names: ['Errors', 'Duration', 'Invocations', 'Throttles', 'IteratorAge'], dimensions: ['FunctionName'] }],
  'AWS/SQS': [{ names: ['ApproximateNumberOfMessagesVisible'], dimensions: ['QueueName'] }],
  'AWS/DynamoDB': [
    ...[['TableName'], ['GlobalSecondaryIndexName', 'TableName']].map((dimensions) => ({
      names: ['Read', 'Write'].flatMap((kind) => [
        `Consumed${kind}CapacityUnits`,
        `${kind}ThrottleEvents`,
        `${kind}KeyRangeThroughputThrottleEvents`,
      ]),
      dimensions,
    })),
    { names: ['SuccessfulRequestLatency'], dimensions: ['Operation', 'TableName'] },
  ],
};

const TYPES: Readonly<Record<string, string>> = { FunctionName: 'AWS::Lambda::Function', QueueName: 'AWS::SQS::Queue' };

/** What is wrong with a metric of AWS's own; undefined where nothing is. */
function mistakeIn(template: Template, metric: MetricName): string | undefined {
  const { namespace, name, dimensions } = metric;
  const expected = OF_AWS[namespace]?.filter(({ names }) => names.includes(name)) ?? [];
  if (!expected.some((one) => String(one.dimensions) === String(Object.keys(dimensions).sort())))
    return `no such metric: ${textOf(metric)}`;
  for (const [dimension, type] of Object.entries(TYPES)) {
    const value = dimensions[dimension];
    if (value !== undefined && template.findResources(type)[value] === undefined) return `no such resource: ${textOf(metric)}`;
  }
  const { TableName: table = TABLE, GlobalSecondaryIndexName: index } = dimensions;
  const [properties] = Object.values(template.findResources('AWS::DynamoDB::Table')).map(({ Properties }) => Properties);
  const indexes = (properties?.GlobalSecondaryIndexes ?? []).map(({ IndexName }: { IndexName: string }) => IndexName);
  return table === TABLE && (index === undefined || indexes.includes(index)) ? undefined : `no such table or index: ${textOf(metric)}`;
}

describe.each<[string, string, RateLimiterProps]>([
  ['without props', METRICS_NAMESPACE, {}],
  ['in a namespace of its own', 'Ours/Prod', { aggregator: { metricsNamespace: 'Ours/Prod' } }],
])('what alarms, widgets and methods of a limiter %s look at', (_, namespace, props) => {
  let template: Template;
  let watched: readonly MetricName[];
  let lines: readonly EmbeddedLine[];
  beforeAll(async () => {
    const { template: made, given } = deployed(props);
    template = made;
    watched = [...alarmedMetrics(template), ...drawnMetrics(template), ...given];
    lines = await linesWritten(template, namespace);
  }, 60_000);

  it('is written by the function and by services that report, under the same name and dimensions', () => {
    const own = watched.filter((metric) => !metric.namespace.startsWith('AWS/'));
    const written = new Set(lines.flatMap(metricsOf).map(textOf));
    const isWritten = (text: string): boolean =>
      text.includes('=*') ? [...written].some((other) => other.startsWith(text.split('*')[0] ?? '')) : written.has(text);

    expect([...new Set(own.map(textOf))].filter((text) => !isWritten(text))).toEqual([]);
    // Of each kind there were many: none of the lists was empty.
    expect(new Set(own.map(textOf)).size).toBeGreaterThan(30);
    expect(written.size).toBeGreaterThan(45);
  });

  it("is, of AWS's own metrics, one that there is, of a resource that there is", () => {
    const ofAws = watched.filter((metric) => metric.namespace.startsWith('AWS/'));

    expect(ofAws.flatMap((metric) => mistakeIn(template, metric) ?? [])).toEqual([]);
    expect(new Set(ofAws.map(textOf)).size).toBeGreaterThan(15);
  });

  it('is written as CloudWatch reads it: a line of metrics that all have numbers, under dimensions that all have texts', () => {
    const embedded = lines.filter(({ _aws: head }) => head !== undefined);
    expect(embedded.length).toBeGreaterThan(4);
    for (const line of embedded) {
      const { Timestamp: atMs, CloudWatchMetrics: directives } = line._aws ?? { Timestamp: 0, CloudWatchMetrics: [] };
      expect(Number.isSafeInteger(atMs) && JSON.stringify(line).length < 262_144).toBe(true);
      for (const { Namespace: space, Dimensions: sets, Metrics: metrics } of directives) {
        expect(space).toMatch(/^[\w./#:-]{1,255}$/);
        expect(metrics.length).toBeGreaterThan(0);
        expect(metrics.length).toBeLessThanOrEqual(100);
        expect(new Set(metrics.map(({ Name }) => Name)).size).toBe(metrics.length);
        for (const dimension of sets.flat()) expect(line[dimension]).toMatch(/^[ -~]{1,1024}$/);
      }
      for (const { name, value } of metricsOf(line)) expect({ name, numbers: numbersOf(value) }).toEqual({ name, numbers: true });
    }
  });

  it('is, of rules that rank entities, what the lines about entities hold', () => {
    const rules = Object.values(template.findResources('AWS::CloudWatch::InsightRule')).map(
      ({ Properties }) => JSON.parse(known(template, Properties.RuleBody)).Contribution,
    );
    expect(rules).toHaveLength(2);
    for (const { Keys: keys, ValueOf: field, Filters: filters } of rules) {
      const [{ Match: match, In: tables }] = filters;
      const fields = [...keys, field, match].map((path: string) => path.replace('$.', ''));
      expect(lines.filter((line) => fields.every((one) => line[one] !== undefined) && tables.includes(line[match.slice(2)]))).toHaveLength(
        1,
      );
    }
  });
});

/** Whether a value is a number, or a distribution of at most a hundred. */
function numbersOf(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  const { Values: values = [], Counts: counts = [] } = (value ?? {}) as { Values?: readonly number[]; Counts?: readonly number[] };
  const isFull = values.length > 0 && values.length <= 100 && values.length === counts.length;
  return isFull && [...values, ...counts].every((number) => Number.isFinite(number));
}
