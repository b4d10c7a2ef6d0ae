import { LimiterAlarms, type LimiterAlarmsOptions, LimiterTable, UsageAggregator } from '@millrace/cdk';
import { Duration, type Stack } from 'aws-cdk-lib';

/** The alarms of a table with an aggregator, whose timeout is half a minute. */
export function alarmsIn(stack: Stack, options: LimiterAlarmsOptions = {}): LimiterAlarms {
  const { table } = new LimiterTable(stack, 'Table', { tableName: 'limits' });
  const aggregator = new UsageAggregator(stack, 'Usage', { table, timeout: Duration.seconds(30) });
  return new LimiterAlarms(stack, 'Alarms', { ...options, table, aggregator });
}
