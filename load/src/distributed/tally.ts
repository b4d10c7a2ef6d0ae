import type { Figures } from '../plan/figures.js';
import { LatencySketch, type SketchJson } from './latency-sketch.js';
import type { Point, Series } from './points.js';

/** What is kept of one series, by the kind of metric that k6 calls it. */
export type Kept =
  | { readonly type: 'trend'; readonly sketch: LatencySketch }
  | { readonly type: 'counter'; sum: number }
  | { readonly type: 'rate'; passes: number; total: number }
  | { readonly type: 'gauge'; min: number; max: number; last: number };

type KeptJson =
  | { readonly type: 'trend'; readonly sketch: SketchJson }
  | { readonly type: 'counter'; readonly sum: number }
  | { readonly type: 'rate'; readonly passes: number; readonly total: number }
  | { readonly type: 'gauge'; readonly min: number; readonly max: number; readonly last: number };

export type TallyJson = Readonly<Record<string, KeptJson>>;

/** More series than any scenario has; a script with a series per entity must not fill a worker. */
const MOST_SERIES = 500;

/** All series of a run, folded while it goes on, so that memory does not grow with its length. */
export class Tally {
  readonly #series = new Map<string, Kept>();
  /** Points of series beyond the bound or never announced: counted, not kept. */
  droppedPoints = 0;

  get series(): ReadonlyMap<string, Kept> {
    return this.#series;
  }

  /** Makes room for a series, so that one without a single point is in the result too. */
  announce({ name, type }: Series): void {
    if (!this.#series.has(name) && this.#series.size < MOST_SERIES) this.#series.set(name, emptyOf(type));
  }

  fold({ name, value }: Point): void {
    const kept = this.#series.get(name);
    if (kept === undefined) this.droppedPoints++;
    else foldInto(kept, value);
  }

  /** Takes in what another worker counted. Gauges keep the smallest and the largest; `last` adds up, as `vus` must. */
  add(other: Tally): void {
    for (const [name, theirs] of other.#series) {
      this.announce({ name, type: theirs.type });
      const ours = this.#series.get(name);
      if (ours !== undefined) addInto(ours, theirs, name);
    }
    this.droppedPoints += other.droppedPoints;
  }

  /** What all values together say. */
  figures(durationMs: number): Figures {
    const series: Record<string, Figures['series'][string]> = {};
    const counts: Record<string, number> = {};
    const rates: Record<string, Figures['rates'][string]> = {};
    for (const [name, kept] of this.#series) {
      if (kept.type === 'trend') series[name] = seriesOf(kept.sketch);
      else if (kept.type === 'counter') counts[name] = kept.sum;
      else if (kept.type === 'gauge') counts[name] = kept.last;
      else rates[name] = { rate: kept.total === 0 ? 0 : kept.passes / kept.total, trues: kept.passes, count: kept.total };
    }
    return { durationMs, series, counts, rates };
  }

  toJSON(): TallyJson {
    return Object.fromEntries(
      [...this.#series].map(([name, kept]) => [name, kept.type === 'trend' ? { type: 'trend', sketch: kept.sketch.toJSON() } : kept]),
    );
  }

  static fromJSON(json: TallyJson): Tally {
    const tally = new Tally();
    for (const [name, kept] of Object.entries(json)) {
      tally.#series.set(name, kept.type === 'trend' ? { type: 'trend', sketch: LatencySketch.fromJSON(kept.sketch) } : { ...kept });
    }
    return tally;
  }
}

function seriesOf(sketch: LatencySketch): Figures['series'][string] {
  const [p50, p95, p99] = [sketch.percentile(50), sketch.percentile(95), sketch.percentile(99)];
  return { count: sketch.count, avg: sketch.mean, min: sketch.min, p50, p95, p99, max: sketch.max };
}

function emptyOf(type: Kept['type']): Kept {
  switch (type) {
    case 'trend':
      return { type, sketch: LatencySketch.empty() };
    case 'counter':
      return { type, sum: 0 };
    case 'rate':
      return { type, passes: 0, total: 0 };
    case 'gauge':
      return { type, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, last: 0 };
  }
}

function foldInto(kept: Kept, value: number): void {
  switch (kept.type) {
    case 'trend':
      kept.sketch.record(value);
      break;
    case 'counter':
      kept.sum += value;
      break;
    case 'rate':
      kept.total++;
      if (value !== 0) kept.passes++;
      break;
    case 'gauge':
      kept.min = Math.min(kept.min, value);
      kept.max = Math.max(kept.max, value);
      kept.last = value;
  }
}

function addInto(ours: Kept, theirs: Kept, name: string): void {
  if (ours.type === 'trend' && theirs.type === 'trend') ours.sketch.add(theirs.sketch);
  else if (ours.type === 'counter' && theirs.type === 'counter') ours.sum += theirs.sum;
  else if (ours.type === 'rate' && theirs.type === 'rate') {
    ours.passes += theirs.passes;
    ours.total += theirs.total;
  } else if (ours.type === 'gauge' && theirs.type === 'gauge') {
    ours.min = Math.min(ours.min, theirs.min);
    ours.max = Math.max(ours.max, theirs.max);
    ours.last += theirs.last;
  } else throw new Error(`series ${name}: a ${ours.type} of one worker is a ${theirs.type} of another; they ran different scripts`);
}
