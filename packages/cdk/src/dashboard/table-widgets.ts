import { Duration } from 'aws-cdk-lib';
import { type IWidget, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { UnitPrices } from '../alarms/unit-prices.js';
import type { WatchedMetrics } from '../alarms/watched-metrics.js';
import { COLORS, graph } from './widgets.js';

const PERIOD = Duration.minutes(5);
const SUMS = { period: PERIOD, statistic: Stats.SUM };

/** What DynamoDB says of the table. */
export function tableWidgets(metrics: WatchedMetrics, prices: UnitPrices): IWidget[] {
  const perSecond = (kind: 'Read' | 'Write', color: string): MathExpression => {
    const [table, index] = [`${kind.toLowerCase()}Units`, `${kind.toLowerCase()}UnitsIndex`];
    const name = `Consumed${kind}CapacityUnits`;
    return new MathExpression({
      expression: `(${table} + FILL(${index}, 0)) / PERIOD(${table})`,
      usingMetrics: { [table]: metrics.ofTable(name, SUMS), [index]: metrics.ofIndex(name, SUMS) },
      label: `${kind.toLowerCase()} units`,
      color,
      period: PERIOD,
    });
  };
  const cost = metrics.cost(prices, PERIOD, Duration.hours(1), 'dollars an hour');
  const latency = (operation: string): Metric => metrics.operationLatency(operation, { period: PERIOD, label: operation });
  const throttles = [metrics.capacityThrottles('Read', SUMS), metrics.capacityThrottles('Write', SUMS), metrics.keyRangeThrottles(SUMS)];
  return [
    graph('Units consumed', 'units a second', [perSecond('Read', COLORS.read), perSecond('Write', COLORS.write)], { columns: 6 }),
    graph('Cost of units, on demand', 'dollars an hour', [cost], { columns: 6 }),
    graph('Throttles by reason', 'requests in a period', throttles, { columns: 6 }),
    graph('Latency inside DynamoDB', 'milliseconds', [latency('UpdateItem'), latency('GetItem'), latency('BatchGetItem')], { columns: 6 }),
  ];
}
