import type { TextTable } from './table.js';

/** One of the figures that the project promises. */
export interface Outcome {
  readonly promise: string;
  readonly measured: string;
  /** Undefined where this run did not measure it. */
  readonly kept: boolean | undefined;
}

/** What the measured figure of a promise says where a run did not measure it. */
export const NOT_MEASURED = 'not measured in this run';

/** What was promised, and what came of it. */
export function promiseTable(outcomes: readonly Outcome[]): TextTable {
  return {
    titles: ['', 'promise', 'measured'],
    left: 3,
    rows: outcomes.map(({ promise, measured, kept }) => [kept === undefined ? '-' : kept ? 'ok' : 'FAILED', promise, measured]),
  };
}
