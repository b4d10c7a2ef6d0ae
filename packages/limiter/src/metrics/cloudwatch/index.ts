import { CloudWatchClient, type CloudWatchClientConfig, type MetricDatum, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { checkKeys, type MetricPoint, ValidationError } from '@millrace/core';
import type { MetricSink } from '../sink.js';

/** How to reach CloudWatch. What is not given comes from AWS's usual chain. */
export interface CloudWatchSinkOptions {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: NonNullable<CloudWatchClientConfig['credentials']>;
  /** A client of your own. It is not destroyed with the sink. */
  readonly client?: { send(command: never, options?: never): Promise<unknown> };
}

/** A request may hold 1,000 data and a megabyte; a distribution is up to 9 kB of it. */
const DATA_PER_REQUEST = 100;

/**
 * Metrics by CloudWatch's own API, for services whose output goes elsewhere. It needs the package `@aws-sdk/client-cloudwatch`
 * beside this one, and leave for `cloudwatch:PutMetricData`. Entities are left out: as metrics they would be too many.
 *
 * @throws ValidationError if an option is wrong
 */
export function cloudWatchSink(options: CloudWatchSinkOptions = {}): MetricSink {
  checkKeys('options', options, ['endpoint', 'region', 'credentials', 'client']);
  const { client: own, ...connection } = options;
  if (own !== undefined && typeof own?.send !== 'function') throw new ValidationError('option "client"', 'a CloudWatchClient', own);
  if (own !== undefined && Object.keys(connection).length > 0)
    throw new ValidationError(`option "${Object.keys(connection)[0]}"`, 'left out beside "client", which has its own', options);
  const client = (own as CloudWatchClient | undefined) ?? new CloudWatchClient(connection);
  return {
    async send({ namespace, atMs, points }, signal) {
      const data = points.flatMap((point) => dataOf(point, new Date(atMs)));
      for (let first = 0; first < data.length; first += DATA_PER_REQUEST) {
        const command = new PutMetricDataCommand({ Namespace: namespace, MetricData: data.slice(first, first + DATA_PER_REQUEST) });
        await client.send(command, { abortSignal: signal });
      }
    },
    close() {
      if (own === undefined) client.destroy();
    },
  };
}

function dataOf({ dimensions, metrics }: MetricPoint, at: Date): MetricDatum[] {
  const named = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return metrics.map(({ definition: { name, unit }, value }) => ({
    MetricName: name,
    Dimensions: named,
    Timestamp: at,
    Unit: unit,
    ...(typeof value === 'number' ? { Value: value } : { Values: [...value.values], Counts: [...value.counts] }),
  }));
}
