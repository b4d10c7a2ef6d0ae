import { describe, expect, it } from 'vitest';
import { AGGREGATOR_METRICS, embeddedMetrics, LEDGER_CHECK_METRICS, LEDGER_METRICS, LIMITER_METRICS, SEALING_METRICS } from './metrics.js';

describe('the names of metrics', () => {
  it('are told apart, since all are in one namespace and of one table', () => {
    const lists = [AGGREGATOR_METRICS, LIMITER_METRICS, LEDGER_METRICS, LEDGER_CHECK_METRICS, SEALING_METRICS];
    const names = lists.flatMap((list) => Object.values(list).map(({ name }) => name));

    expect(names.length).toBeGreaterThan(30);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the embedded metric format', () => {
  it('names each metric with its unit, and puts dimensions and values beside that', () => {
    const { admitted, acquireLatency } = LIMITER_METRICS;
    const line = embeddedMetrics('Ours', 1_700_000_000_123.7, {
      dimensions: { Table: 'millrace', Resource: 'gpt-4' },
      metrics: [
        { definition: admitted, value: 3 },
        { definition: acquireLatency, value: { values: [1.5, 4], counts: [2, 1] } },
      ],
    });

    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toEqual({
      _aws: {
        Timestamp: 1_700_000_000_123,
        CloudWatchMetrics: [
          {
            Namespace: 'Ours',
            Dimensions: [['Table', 'Resource']],
            Metrics: [
              { Name: 'Admitted', Unit: 'Count' },
              { Name: 'AcquireLatency', Unit: 'Milliseconds' },
            ],
          },
        ],
      },
      Table: 'millrace',
      Resource: 'gpt-4',
      Admitted: 3,
      AcquireLatency: { Values: [1.5, 4], Counts: [2, 1] },
    });
  });
});
