import { MANAGEMENT_OPERATIONS } from './session.js';

/** What is timed of the limiter itself, each as a Trend of its own name: k6's dashboard knows no tags. In milliseconds. */
const LIMITER_SERIES = ['acquire', 'commit', 'rate_limited', 'available', 'error'] as const;

/** What is timed besides: opening a limiter, once for each user, and what administrators do. */
const OTHER_SERIES = ['open_limiter', ...MANAGEMENT_OPERATIONS] as const;

export const SERIES = [...LIMITER_SERIES, ...OTHER_SERIES] as const;

export type SeriesName = (typeof SERIES)[number];

/** The share of calls that failed. A rejection is no failure, and counts as false. */
export const ERRORS_RATE = 'limiter_errors';

/** The share of acquires that were refused. */
export const REFUSED_RATE = 'limiter_refused';

/** What only the dashboard's charts show: calls by their verdict, and what each took of the table, by its own count. */
export const ADMITTED_COUNTER = 'admitted';
export const REJECTED_COUNTER = 'rejected';
export const UNITS_TREND = 'write_units_per_acquire';

/** Turns that began and that ended. k6 breaks off what lasts too long, and then what a turn took is on no list. */
export const TURNS_BEGUN = 'turns_begun';
export const TURNS_ENDED = 'turns_ended';

/** What DynamoDB was asked for, as its replies say; a refused condition is billed one unit, which no reply says. */
export const COST_COUNTERS = ['requests', 'read_units', 'write_units', 'refused_writes'] as const;

export type CostCounter = (typeof COST_COUNTERS)[number];

/**
 * How tokens of a limit are counted: taken by acquires, added by adjustments, given back by adjustments and releases, and
 * those of calls without an answer, of which nobody knows whether they count.
 */
export const TOKEN_KINDS = ['taken', 'added', 'returned', 'unknown'] as const;

export type TokenKind = (typeof TOKEN_KINDS)[number];

/** The counter of a limit's tokens. k6 allows letters, digits and `_` in names, a limit also has `-`. */
export function tokenCounter(kind: TokenKind, limit: string): string {
  return `${kind}_${limit.replaceAll('-', '_')}`;
}

/** What is kept of each series, as k6 names it. */
export const TREND_STATS = ['count', 'avg', 'min', 'p(50)', 'p(95)', 'p(99)', 'max'] as const;
