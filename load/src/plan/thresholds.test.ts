import { describe, expect, it } from 'vitest';
import type { Figures } from './figures.js';
import { expressionOf, judge, k6Thresholds, type Threshold } from './thresholds.js';

const series = { count: 10, avg: 4, min: 1, p50: 3, p95: 9, p99: 10, max: 11 };
const figures: Figures = {
  durationMs: 1_000,
  series: { acquire: series, commit: { ...series, count: 0, p95: 0 } },
  counts: { taken_rpm: 7 },
  rates: { limiter_errors: { rate: 0.25, trues: 1, count: 4 } },
};
const verdict = (threshold: Threshold) => judge([threshold], figures)[0];

describe('a threshold', () => {
  it.each([
    [{ metric: 'acquire', stat: 'p95', op: '<', value: 9 }, 'p(95)<9', false],
    [{ metric: 'acquire', stat: 'p95', op: '<=', value: 9 }, 'p(95)<=9', true],
    [{ metric: 'acquire', stat: 'p50', op: '>', value: 3 }, 'p(50)>3', false],
    [{ metric: 'acquire', stat: 'p99', op: '>=', value: 10 }, 'p(99)>=10', true],
    [{ metric: 'acquire', stat: 'max', op: '<', value: 12 }, 'max<12', true],
    [{ metric: 'acquire', stat: 'count', op: '==', value: 10 }, 'count==10', true],
    [{ metric: 'taken_rpm', stat: 'count', op: '<', value: 7 }, 'count<7', false],
    [{ metric: 'limiter_errors', stat: 'rate', op: '<', value: 0.3 }, 'rate<0.3', true],
  ] as const)('%o is written %s, and holds: %s', (threshold, text, ok) => {
    expect(expressionOf(threshold)).toBe(text);
    expect(verdict(threshold)?.ok).toBe(ok);
  });

  it('of a series without a sample passes, and of a counter that nobody touched is about 0', () => {
    expect(verdict({ metric: 'commit', stat: 'p95', op: '<', value: 5 })).toMatchObject({ ok: true, measured: undefined });
    expect(verdict({ metric: 'available', stat: 'max', op: '<', value: 5 })).toMatchObject({ ok: true, measured: undefined });
    expect(verdict({ metric: 'taken_tpm', stat: 'count', op: '>=', value: 1 })).toMatchObject({ ok: false, measured: 0 });
  });

  it('that ends a run is told to k6 as such, beside the others of its metric', () => {
    const thresholds: Threshold[] = [
      { metric: 'limiter_errors', stat: 'rate', op: '<', value: 0.01, abortAfterMs: 5_000 },
      { metric: 'limiter_errors', stat: 'rate', op: '==', value: 0 },
      { metric: 'acquire', stat: 'p95', op: '<', value: 50 },
    ];

    expect(k6Thresholds(thresholds)).toEqual({
      limiter_errors: [{ threshold: 'rate<0.01', abortOnFail: true, delayAbortEval: '5000ms' }, 'rate==0'],
      acquire: ['p(95)<50'],
    });
  });
});
