import { runInNewContext } from 'node:vm';

/** A metric of an alarm, as CloudFormation takes it. */
export interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly ReturnData?: boolean;
  readonly MetricStat?: {
    readonly Period: number;
    readonly Metric: { readonly MetricName: string; readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[] };
  };
}

/** What a period had, by the name of the metric, or `name of index`; what is left out has no data. */
export type PeriodData = Readonly<Record<string, number>>;

/** What CloudWatch makes of an alarm's expression: that part of its metric math which the alarms use. */
export function calculated(queries: readonly MetricQuery[], data: PeriodData): number {
  const expression = queries.find(({ Expression }) => Expression !== undefined)?.Expression ?? '';
  const stats = queries.flatMap(({ Id, MetricStat }) => (MetricStat === undefined ? [] : [{ Id, ...MetricStat }]));
  const values = stats.map(({ Id, Metric: { MetricName, Dimensions } }) => {
    const index = Dimensions.find(({ Name }) => Name === 'GlobalSecondaryIndexName')?.Value;
    return [Id, data[index === undefined ? MetricName : `${MetricName} of ${index}`]];
  });
  const functions = {
    FILL: (value: number | undefined, other: number) => value ?? other,
    IF: (condition: boolean, one: number, other: number) => (condition ? one : other),
    PERIOD: () => stats[0]?.Period,
  };
  return runInNewContext(expression, { ...Object.fromEntries(values), ...functions }) as number;
}
