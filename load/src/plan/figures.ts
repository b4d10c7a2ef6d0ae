/** What is said of a series, in milliseconds. */
export interface Series {
  readonly count: number;
  readonly avg: number;
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** A share of true among all that was counted. */
interface Share {
  readonly rate: number;
  readonly trues: number;
  readonly count: number;
}

/** What a run measured, whoever added it up: k6 at its end, or a coordinator from the sketches of its workers. */
export interface Figures {
  /** How long turns were being made. */
  readonly durationMs: number;
  readonly series: Readonly<Record<string, Series>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly rates: Readonly<Record<string, Share>>;
}

/** A metric as k6 hands it to `handleSummary`. */
interface K6Metric {
  readonly type: string;
  readonly contains?: string;
  readonly values: Readonly<Record<string, number>>;
}

/** As much of the data of `handleSummary` as is read. */
export interface K6Summary {
  readonly state: { readonly testRunDurationMs: number };
  readonly metrics: Readonly<Record<string, K6Metric>>;
}

/** Reads the figures of a run out of what k6 says at its end. */
export function figuresOf({ state, metrics }: K6Summary): Figures {
  const series: Record<string, Series> = {};
  const counts: Record<string, number> = {};
  const rates: Record<string, Share> = {};
  for (const [name, { type, values }] of Object.entries(metrics)) {
    const value = (key: string): number => values[key] ?? 0;
    if (type === 'trend') {
      const [p50, p95, p99] = [value('p(50)'), value('p(95)'), value('p(99)')];
      series[name] = { count: value('count'), avg: value('avg'), min: value('min'), p50, p95, p99, max: value('max') };
    }
    if (type === 'counter') counts[name] = value('count');
    if (type === 'gauge') counts[name] = value('value');
    if (type === 'rate') rates[name] = { rate: value('rate'), trues: value('passes'), count: value('passes') + value('fails') };
  }
  return { durationMs: state.testRunDurationMs, series, counts, rates };
}
