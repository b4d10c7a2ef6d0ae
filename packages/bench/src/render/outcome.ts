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

/** The exit code that a run's promises make: one that was missed counts where that is what was asked for, and is told elsewhere. */
export function exitOf(outcomes: readonly Outcome[], isCheck: boolean, stderr: { write(text: string): unknown }): number {
  if (outcomes.every(({ kept }) => kept !== false)) return 0;
  if (!isCheck) stderr.write('what FAILED does not change the exit code: with --check it does\n');
  return isCheck ? 1 : 0;
}

/** What was promised, and what came of it. */
export function promiseTable(outcomes: readonly Outcome[]): TextTable {
  return {
    titles: ['', 'promise', 'measured'],
    left: 3,
    rows: outcomes.map(({ promise, measured, kept }) => [kept === undefined ? '-' : kept ? 'ok' : 'FAILED', promise, measured]),
  };
}
