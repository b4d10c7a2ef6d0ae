import type { Figures } from './figures.js';

/** What must be true of a run, as data: k6 judges it where one process makes all the load, a coordinator where many do. */
export interface Threshold {
  /** A series, rate or counter by its name. */
  readonly metric: string;
  readonly stat: 'p50' | 'p95' | 'p99' | 'max' | 'count' | 'rate';
  readonly op: '<' | '<=' | '>' | '>=' | '==';
  readonly value: number;
  /** Ends the run as soon as it does not hold, after this time: for what makes going on pointless. */
  readonly abortAfterMs?: number;
}

/** A threshold and what came out. */
export interface Judgement extends Threshold {
  /** Undefined where nothing was measured; that passes, as nothing was that bad. */
  readonly measured: number | undefined;
  readonly ok: boolean;
}

const K6_STATS: Readonly<Record<Threshold['stat'], string>> = {
  p50: 'p(50)',
  p95: 'p(95)',
  p99: 'p(99)',
  max: 'max',
  count: 'count',
  rate: 'rate',
};

/** How k6 writes it, and how reports do: `p(95)<25`. */
export function expressionOf({ stat, op, value }: Threshold): string {
  return `${K6_STATS[stat]}${op}${value}`;
}

/** Thresholds as an option of k6. */
export function k6Thresholds(thresholds: readonly Threshold[]): Record<string, (string | object)[]> {
  const option: Record<string, (string | object)[]> = {};
  for (const threshold of thresholds) {
    const { metric, abortAfterMs } = threshold;
    const expression = expressionOf(threshold);
    const entry =
      abortAfterMs === undefined
        ? expression
        : { threshold: expression, abortOnFail: true, delayAbortEval: `${Math.round(abortAfterMs)}ms` };
    option[metric] = [...(option[metric] ?? []), entry];
  }
  return option;
}

/** Judges a whole run. It says what k6 says of the same figures. */
export function judge(thresholds: readonly Threshold[], figures: Figures): readonly Judgement[] {
  return thresholds.map((threshold) => {
    const measured = measuredBy(threshold, figures);
    return { ...threshold, measured, ok: measured === undefined || holds(measured, threshold) };
  });
}

function measuredBy({ metric, stat }: Threshold, figures: Figures): number | undefined {
  if (stat === 'rate') return figures.rates[metric]?.rate;
  if (stat === 'count') return figures.counts[metric] ?? figures.series[metric]?.count ?? 0;
  const series = figures.series[metric];
  return series === undefined || series.count === 0 ? undefined : series[stat];
}

function holds(measured: number, { op, value }: Threshold): boolean {
  switch (op) {
    case '<':
      return measured < value;
    case '<=':
      return measured <= value;
    case '>':
      return measured > value;
    case '>=':
      return measured >= value;
    case '==':
      return measured === value;
  }
}
