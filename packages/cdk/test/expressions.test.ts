import type { LimiterAlarmsOptions } from '@millrace/cdk';
import { LIMITER_METRICS, WINDOW_INDEX } from '@millrace/core';
import { pricesOf } from '@millrace/cost';
import { beforeAll, describe, expect, it } from 'vitest';
import { dashboardBody } from '../preview/dashboard-body.js';
import { alarmsIn } from './alarms-stack.js';
import { calculated, type MetricQuery, type PeriodData } from './metric-math.js';
import { templateOf } from './synth.js';

const { admitted, rejected, degraded, unavailable } = LIMITER_METRICS;
const ofIndex = (name: string): string => `${name} of ${WINDOW_INDEX}`;

/** What each alarm compares with its threshold, by its name. */
function expressionsOf(options?: LimiterAlarmsOptions): (name: string, data: PeriodData) => number {
  const alarms = templateOf((stack) => alarmsIn(stack, options)).findResources('AWS::CloudWatch::Alarm');
  return (name, data) => {
    const [, alarm] = Object.entries(alarms).find(([id]) => id.startsWith(`Alarms${name}`)) ?? [];
    return calculated((alarm?.['Properties'].Metrics ?? []) as readonly MetricQuery[], data);
  };
}

/** What the first line of a widget draws, by the widget's title. */
function drawn(title: string, data: PeriodData): number {
  const metrics = dashboardBody().find(({ properties }) => properties.title === title)?.properties.metrics ?? [];
  const queries = metrics.map(([first, name, ...rest]): MetricQuery => {
    if (typeof first === 'object') return { Id: 'drawn', Expression: (first as { readonly expression: string }).expression };
    const { id, period } = rest.at(-1) as { readonly id: string; readonly period?: number };
    const dimensions = rest.slice(0, -1).flatMap((part, at, all) => (at % 2 === 0 ? [{ Name: String(part), Value: all[at + 1] }] : []));
    return { Id: id, MetricStat: { Period: period ?? 300, Metric: { MetricName: String(name), Dimensions: dimensions } } };
  });
  return calculated(queries, data);
}

describe('what an alarm compares with its threshold', () => {
  let value: (name: string, data: PeriodData) => number;
  beforeAll(() => {
    value = expressionsOf();
  });

  it.each(['Read', 'Write'])('is, of %s throttles, those of table and index that are not of one hot key', (kind) => {
    const [all, hot] = [`${kind}ThrottleEvents`, `${kind}KeyRangeThroughputThrottleEvents`];

    expect(value(`${kind}Throttles`, { [all]: 20, [hot]: 5, [ofIndex(all)]: 7, [ofIndex(hot)]: 3 })).toBe(19);
    expect(value(`${kind}Throttles`, { [ofIndex(all)]: 7 })).toBe(7);
    expect(value(`${kind}Throttles`, {})).toBe(0);
  });

  it('is, of hot key ranges, those of reads and writes, of table and index', () => {
    const [reads, writes] = ['ReadKeyRangeThroughputThrottleEvents', 'WriteKeyRangeThroughputThrottleEvents'];

    expect(value('KeyRangeThrottles', { [reads]: 1, [writes]: 20, [ofIndex(reads)]: 300, [ofIndex(writes)]: 4_000 })).toBe(4_321);
    expect(value('KeyRangeThrottles', { [writes]: 20 })).toBe(20);
  });

  it('is the rejected part of a hundred decisions or more, and nothing of fewer', () => {
    expect(value('RejectedShare', { [admitted.name]: 150, [rejected.name]: 50 })).toBe(25);
    expect(value('RejectedShare', { [rejected.name]: 100 })).toBe(100);
    expect(value('RejectedShare', { [rejected.name]: 99 })).toBe(0);
    expect(value('RejectedShare', { [admitted.name]: 500 })).toBe(0);
    expect(value('RejectedShare', {})).toBe(0);
  });

  it('is whatever got no answer, let through or not', () => {
    expect(value('Unavailable', { [degraded.name]: 3, [unavailable.name]: 40 })).toBe(43);
    expect(value('Unavailable', { [unavailable.name]: 40 })).toBe(40);
  });

  it('is what the units of table and index cost in a day', () => {
    const [reads, writes] = ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'];
    const cost = expressionsOf({ prices: { usdPerMillionReadUnits: 1, usdPerMillionWriteUnits: 10 } });
    const million = 1_000_000;

    expect(
      cost('DailyCost', { [reads]: million, [ofIndex(reads)]: 2 * million, [writes]: 3 * million, [ofIndex(writes)]: 4 * million }),
    ).toBe(73);
    expect(cost('DailyCost', { [ofIndex(writes)]: million })).toBe(10);
    expect(cost('DailyCost', {})).toBe(0);
  });
});

describe('what a line of the dashboard says', () => {
  const { cacheHits, cacheMisses } = LIMITER_METRICS;
  const [reads, writes] = ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'];

  it.each(['Dollars an hour, for units', 'Cost of units, on demand'])(
    'is, of "%s", what an hour like these five minutes costs',
    (title) => {
      const { usdPerMillionReadUnits, usdPerMillionWriteUnits } = pricesOf('us-east-1');

      expect(drawn(title, { [reads]: 1_000_000 })).toBeCloseTo(12 * usdPerMillionReadUnits, 9);
      expect(drawn(title, { [writes]: 1_000_000, [ofIndex(writes)]: 1_000_000 })).toBeCloseTo(24 * usdPerMillionWriteUnits, 9);
    },
  );

  it.each<[string, PeriodData, number]>([
    ['Admitted a second', { [admitted.name]: 600 }, 2],
    ['Admitted and rejected', { [admitted.name]: 600, [rejected.name]: 9 }, 2],
    ['Rejected, percent', { [admitted.name]: 300, [rejected.name]: 100 }, 25],
    ['Rejected, percent', { [rejected.name]: 100 }, 100],
    ['Limits found in the cache, percent', { [cacheHits.name]: 900, [cacheMisses.name]: 100 }, 90],
    ['Limits found in the cache', { [cacheHits.name]: 900, [cacheMisses.name]: 100 }, 90],
    ['Acquires without an answer', { [degraded.name]: 3, [unavailable.name]: 4 }, 7],
    ['Units consumed', { [reads]: 600, [ofIndex(reads)]: 300 }, 3],
    ['Throttles by reason', { ReadThrottleEvents: 20, ReadKeyRangeThroughputThrottleEvents: 5 }, 15],
  ])('is, of "%s" with %j, %i', (title, data, figure) => {
    expect(drawn(title, data)).toBe(figure);
  });
});
