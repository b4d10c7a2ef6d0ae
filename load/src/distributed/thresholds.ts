import { ValidationError } from '@millrace/core';
import type { Kept, Tally } from './tally.js';

/** What a threshold of a run came to. */
export interface Judgement {
  readonly series: string;
  /** As the scenario says it: `p(95)<200`. */
  readonly expression: string;
  /** `undefined`: the series had no values, so nothing can be said. */
  readonly value: number | undefined;
  readonly passed: boolean;
}

/** Thresholds by series, in k6's own words. */
export type Thresholds = Readonly<Record<string, readonly string[]>>;

const EXPRESSION = /^\s*(p\((\d+(?:\.\d+)?)\)|avg|min|med|max|count|rate|value)\s*(<=|>=|<|>|===|==|!=)\s*(-?\d+(?:\.\d+)?)\s*$/;

/**
 * Judges a whole run by what all its workers saw. A worker's own thresholds would judge its share: a counter of a third
 * of the load, and a percentile of nobody's traffic.
 *
 * @throws ValidationError for an expression that is none of k6's
 */
export function judge(tally: Tally, thresholds: Thresholds, durationSec: number): readonly Judgement[] {
  return Object.entries(thresholds).flatMap(([series, expressions]) =>
    expressions.map((expression) => {
      const { aggregate, percent, operator, bound } = parse(series, expression);
      const kept = tally.series.get(series);
      const value = kept === undefined ? undefined : valueOf(kept, aggregate, percent, durationSec);
      return {
        series,
        expression,
        value,
        passed: value !== undefined ? compare(value, operator, bound) : vacuous(aggregate, operator, bound),
      };
    }),
  );
}

/** A series without values: as k6 does it, a count of none is 0, and all else holds only if nobody asked for more. */
function vacuous(aggregate: string, operator: string, bound: number): boolean {
  return aggregate === 'count' || aggregate === 'rate' ? compare(0, operator, bound) : operator.startsWith('<');
}

function parse(series: string, expression: string) {
  const [, aggregate, percent, operator, bound] = EXPRESSION.exec(expression) ?? [];
  if (aggregate === undefined || operator === undefined) {
    throw new ValidationError(`threshold of ${series}`, 'like p(95)<200, avg<50, count>=1 or rate<0.01', expression);
  }
  return { aggregate, percent: Number(percent), operator, bound: Number(bound) };
}

function valueOf(kept: Kept, aggregate: string, percent: number, durationSec: number): number | undefined {
  switch (kept.type) {
    case 'counter':
      return aggregate === 'rate' ? kept.sum / durationSec : kept.sum;
    case 'rate':
      return kept.total === 0 ? undefined : kept.passes / kept.total;
    case 'gauge':
      return Number.isFinite(kept.max) ? (aggregate === 'min' ? kept.min : aggregate === 'max' ? kept.max : kept.last) : undefined;
    case 'trend': {
      const { sketch } = kept;
      if (aggregate === 'count') return sketch.count;
      if (sketch.count === 0) return undefined;
      if (aggregate === 'avg') return sketch.mean;
      if (aggregate === 'max') return sketch.max;
      if (aggregate === 'min') return sketch.min;
      return sketch.percentile(aggregate === 'med' ? 50 : percent);
    }
  }
}

function compare(value: number, operator: string, bound: number): boolean {
  switch (operator) {
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
    case '!=':
      return value !== bound;
    default:
      return value === bound;
  }
}
