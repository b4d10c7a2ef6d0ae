import { median } from '../figures/percentile.js';
import type { Cell, Run } from './cell.js';
import { scenarioOf } from './scenarios.js';

/** What a side did in a cell: medians of its repetitions. */
export interface Row extends Cell {
  readonly changes: number;
  readonly repetitions: number;
  readonly changesPerSecond: number;
  readonly fastestPerSecond: number;
  /** How far the rates of repetitions lie from their mean: the standard deviation. */
  readonly deviationPerSecond: number;
  readonly elapsedMs: number;
  readonly requests: number;
  /** As the engine reports them; the stub knows neither sizes nor indexes. */
  readonly readUnits?: number;
  readonly writeUnits?: number;
  readonly cpuUsPerChange: number;
  /** Of one core, while it worked. */
  readonly cpuShare: number;
  /** The most that the process had of memory, and what of that came while it was measured. */
  readonly peakRssBytes: number;
  readonly grownRssBytes: number;
  /** How many times the rate in sequence, of the same side; absent where that was not measured. */
  readonly timesSequential?: number;
  /** How many times the rate of the plugin's way; absent where that was not measured, and on its own rows. */
  readonly timesPlugin?: number;
}

/** Medians of the runs of a cell, whose process had so much memory before them. */
export function rowOf(cell: Cell, runs: readonly Run[], startRssBytes: number): Row {
  const { changes } = scenarioOf(cell.scenario);
  const peakRssBytes = Math.max(startRssBytes, ...runs.map((run) => run.peakRssBytes));
  const middle = (values: readonly number[]): number => median(values);
  const rates = runs.map(({ elapsedMs }) => (changes * 1_000) / elapsedMs);
  return {
    ...cell,
    changes,
    repetitions: runs.length,
    changesPerSecond: middle(rates),
    fastestPerSecond: Math.max(...rates),
    deviationPerSecond: deviation(rates),
    elapsedMs: middle(runs.map(({ elapsedMs }) => elapsedMs)),
    requests: middle(runs.map(({ requests }) => requests)),
    ...(cell.server === 'stub'
      ? {}
      : {
          readUnits: middle(runs.map(({ readUnits }) => readUnits)),
          writeUnits: middle(runs.map(({ writeUnits }) => writeUnits)),
        }),
    cpuUsPerChange: middle(runs.map(({ cpuUs }) => cpuUs / changes)),
    cpuShare: middle(runs.map(({ cpuUs, elapsedMs }) => cpuUs / 1_000 / elapsedMs)),
    peakRssBytes,
    grownRssBytes: peakRssBytes - startRssBytes,
  };
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/** The row of another side or concurrency under the same circumstances. */
export function rowLike(rows: readonly Row[], wanted: Cell): Row | undefined {
  return rows.find(
    (row) =>
      row.scenario === wanted.scenario &&
      row.server === wanted.server &&
      row.latencyMs === wanted.latencyMs &&
      row.concurrency === wanted.concurrency &&
      row.side === wanted.side,
  );
}

/** The rows with what they are to others of the same run. */
export function withRatios(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => {
    const baseline = scenarioOf(row.scenario).baseline?.[row.side] ?? row.scenario;
    const sequential = rowLike(rows, { ...row, concurrency: 1, scenario: baseline });
    const plugin = row.side === 'plugin' ? undefined : rowLike(rows, { ...row, side: 'plugin' });
    return {
      ...row,
      ...(sequential === undefined ? {} : { timesSequential: row.changesPerSecond / sequential.changesPerSecond }),
      ...(plugin === undefined ? {} : { timesPlugin: row.changesPerSecond / plugin.changesPerSecond }),
    };
  });
}
