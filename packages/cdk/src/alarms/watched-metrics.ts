import { METRIC_DIMENSION, WINDOW_INDEX } from '@millrace/core';
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { UnitPrices } from './unit-prices.js';

/** A metric of core's lists. What is declared here is read by users, who have no core. */
interface ReportedMetric {
  readonly name: string;
  readonly unit: 'Count' | 'Milliseconds';
}

/** The metrics of one table that alarms and dashboards look at. */
export class WatchedMetrics {
  private readonly table: ITable;
  private readonly namespace: string;

  constructor(table: ITable, namespace: string) {
    this.table = table;
    this.namespace = namespace;
  }

  /** One that Millrace itself reports. Ask for what core lists: nobody sends any other. */
  own({ name, unit }: ReportedMetric, options: MetricOptions = {}): Metric {
    return new Metric({
      namespace: this.namespace,
      metricName: name,
      dimensionsMap: { [METRIC_DIMENSION.table]: this.table.tableName },
      statistic: unit === 'Count' ? Stats.SUM : Stats.MAXIMUM,
      period: Duration.minutes(5),
      ...options,
    });
  }

  /** One that Millrace reports of each resource: a search, since resources are not known before. */
  byResource({ name }: ReportedMetric, options: { readonly period: Duration; readonly statistic: string }): MathExpression {
    const { table, resource } = METRIC_DIMENSION;
    const schema = `{"${this.namespace}","${table}","${resource}"}`;
    const search = `${schema} MetricName="${name}" ${table}="${this.table.tableName}"`;
    const expression = `SEARCH('${search}', '${options.statistic}', ${options.period.toSeconds()})`;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch fills it in, for each line that is found.
    const label = "${PROP('Dim.Resource')}";
    return new MathExpression({ expression, label, period: options.period, usingMetrics: {} });
  }

  /** One of DynamoDB's, of the table without its index. */
  ofTable(metricName: string, options: MetricOptions = {}): Metric {
    return this.ofDynamo(metricName, { TableName: this.table.tableName }, options);
  }

  /** One of DynamoDB's, of the index of usage windows: what happens to an index is not told of its table. */
  ofIndex(metricName: string, options: MetricOptions = {}): Metric {
    return this.ofDynamo(metricName, { TableName: this.table.tableName, GlobalSecondaryIndexName: WINDOW_INDEX }, options);
  }

  /** How long DynamoDB itself took for an operation, in milliseconds, on average. */
  operationLatency(operation: string, options: MetricOptions): Metric {
    const dimensions = { TableName: this.table.tableName, Operation: operation };
    return this.ofDynamo('SuccessfulRequestLatency', dimensions, { statistic: Stats.AVERAGE, ...options });
  }

  /** Requests that DynamoDB refused because the table or the account may not do more; those of one hot key are left out. */
  capacityThrottles(kind: 'Read' | 'Write', options: MetricOptions): MathExpression {
    const word = kind.toLowerCase();
    const [all, hot, allIndex, hotIndex] = [`${word}All`, `${word}Hot`, `${word}AllIndex`, `${word}HotIndex`];
    const usingMetrics: Record<string, IMetric> = {
      [all]: this.ofTable(`${kind}ThrottleEvents`, options),
      [hot]: this.ofTable(`${kind}KeyRangeThroughputThrottleEvents`, options),
      [allIndex]: this.ofIndex(`${kind}ThrottleEvents`, options),
      [hotIndex]: this.ofIndex(`${kind}KeyRangeThroughputThrottleEvents`, options),
    };
    const expression = `FILL(${all}, 0) - FILL(${hot}, 0) + FILL(${allIndex}, 0) - FILL(${hotIndex}, 0)`;
    return new MathExpression({ expression, usingMetrics, label: `${word}: capacity`, period: options.period });
  }

  /** Requests that DynamoDB refused because one partition carries no more. */
  keyRangeThrottles(options: MetricOptions): MathExpression {
    const name = (kind: string): string => `${kind}KeyRangeThroughputThrottleEvents`;
    return new MathExpression({
      expression: 'FILL(hotRead, 0) + FILL(hotWrite, 0) + FILL(hotReadIndex, 0) + FILL(hotWriteIndex, 0)',
      usingMetrics: {
        hotRead: this.ofTable(name('Read'), options),
        hotWrite: this.ofTable(name('Write'), options),
        hotReadIndex: this.ofIndex(name('Read'), options),
        hotWriteIndex: this.ofIndex(name('Write'), options),
      },
      label: 'one hot key range',
      period: options.period,
    });
  }

  /** What the units that are consumed cost on demand, in dollars for so long a time at the rate of each period. */
  cost(prices: UnitPrices, period: Duration, perTime: Duration, label: string): MathExpression {
    const options = { period, statistic: Stats.SUM };
    const perRead = decimal(prices.usdPerMillionReadUnits / 1_000_000);
    const perWrite = decimal(prices.usdPerMillionWriteUnits / 1_000_000);
    const dollars = `(FILL(costRead, 0) + FILL(costReadIndex, 0)) * ${perRead} + (FILL(costWrite, 0) + FILL(costWriteIndex, 0)) * ${perWrite}`;
    return new MathExpression({
      expression: `(${dollars}) * ${perTime.toSeconds()} / PERIOD(costWrite)`,
      usingMetrics: {
        costRead: this.ofTable('ConsumedReadCapacityUnits', options),
        costWrite: this.ofTable('ConsumedWriteCapacityUnits', options),
        costReadIndex: this.ofIndex('ConsumedReadCapacityUnits', options),
        costWriteIndex: this.ofIndex('ConsumedWriteCapacityUnits', options),
      },
      label,
      period,
    });
  }

  private ofDynamo(metricName: string, dimensionsMap: Record<string, string>, options: MetricOptions): Metric {
    return new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap,
      statistic: Stats.SUM,
      period: Duration.minutes(5),
      ...options,
    });
  }
}

/** A number without an exponent, which metric math does not read. */
function decimal(number: number): string {
  return number.toFixed(12).replace(/0+$/, '').replace(/[.]$/, '');
}
