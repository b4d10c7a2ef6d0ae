/** A series of a run, as k6 announces it. */
export interface Series {
  readonly name: string;
  readonly type: 'trend' | 'counter' | 'rate' | 'gauge';
}

/** One value of a series. A time is in milliseconds. */
export interface Point {
  readonly name: string;
  readonly value: number;
}

/** A line of k6's JSON output: a series, one of its values, or nothing that is known. */
export type Line = { readonly series: Series } | { readonly point: Point } | undefined;

const TYPES: readonly string[] = ['trend', 'counter', 'rate', 'gauge'] satisfies Series['type'][];

/** Reads a line of `--out json`. What is not understood is `undefined`: the caller counts it, and a half line ends no run. */
export function lineOf(text: string): Line {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof line !== 'object' || line === null) return undefined;
  const { type, metric, data } = line as { type?: unknown; metric?: unknown; data?: { type?: unknown; value?: unknown } };
  if (typeof metric !== 'string' || typeof data !== 'object' || data === null) return undefined;
  if (type === 'Metric' && typeof data.type === 'string' && TYPES.includes(data.type)) {
    return { series: { name: metric, type: data.type as Series['type'] } };
  }
  if (type === 'Point' && typeof data.value === 'number') return { point: { name: metric, value: data.value } };
  return undefined;
}
