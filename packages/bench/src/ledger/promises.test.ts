import { describe, expect, it } from 'vitest';
import type { Cell, Run } from './cell.js';
import type { LagRow } from './lag/measure-lag.js';
import { lagPromise } from './lag/report.js';
import { PROMISED } from './options.js';
import { ledgerPromises } from './promises.js';
import { publishedTable } from './published.js';
import { rowOf, withRatios } from './row.js';

/** How long each cell took, in milliseconds, and what its memory was, in megabytes. */
interface Course {
  readonly elapsedMs: (cell: Cell) => number;
  readonly peakMb?: (cell: Cell) => number;
  readonly requests?: number;
}

function rowsOf({ elapsedMs, peakMb = () => 100, requests = 27 }: Course, cells: readonly Cell[] = PROMISED) {
  const run = (cell: Cell): Run => ({
    elapsedMs: elapsedMs(cell),
    cpuUs: 1_000,
    requests,
    readUnits: 0,
    writeUnits: 54,
    peakRssBytes: peakMb(cell) * 1_048_576,
  });
  return withRatios(cells.map((cell) => rowOf(cell, [run(cell)], 0)));
}

const slowAlone = ({ concurrency, side }: Cell): number => (concurrency === 1 || side === 'plugin' ? 1_000 : 100);

const lag: LagRow = {
  server: 'dynoxide',
  offeredPerSecond: 1_000,
  reachedPerSecond: 999,
  changes: 15_000,
  keys: 50,
  invocations: 20,
  p50Ms: 1_000,
  p95Ms: 5_000,
  maxMs: 6_000,
  totalsChecked: 200,
};

function verdicts(course: Course) {
  return ledgerPromises(rowsOf(course), lag).map(({ kept }) => kept);
}

describe('the promises of the ledger', () => {
  it('are kept where everything is ten times as fast, and memory stays', () => {
    expect(verdicts({ elapsedMs: slowAlone })).toEqual([true, true, true, true, true, true, true]);
  });

  it('are missed by each figure for itself', () => {
    const at = (ms: number) => (cell: Cell) => (cell.concurrency === 1 || cell.side === 'plugin' ? ms : 100);
    expect(verdicts({ elapsedMs: at(799) })).toEqual([false, false, false, false, true, true, true]);
    expect(verdicts({ elapsedMs: at(800) })).toEqual([true, true, false, false, true, true, true]);
    expect(verdicts({ elapsedMs: slowAlone, requests: 28 })).toEqual([true, true, true, true, false, true, true]);
    expect(verdicts({ elapsedMs: slowAlone, peakMb: ({ concurrency }) => (concurrency === 100 ? 150 : 100) })).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      true,
    ]);
  });

  it('are of the lag kept to the second, and missed beyond it', () => {
    expect(lagPromise(lag)).toMatchObject({ measured: '5 at 999 changes/s', kept: true });
    expect(lagPromise({ ...lag, p95Ms: 5_001 }).kept).toBe(false);
  });

  it('are of the lag not kept by a machine that takes less than was offered, and may be missed by it', () => {
    const slow = { ...lag, reachedPerSecond: 600 };
    expect(lagPromise({ ...lag, reachedPerSecond: 950 }).kept).toBe(true);
    expect(lagPromise(slow)).toMatchObject({ measured: '5 at 600 changes/s: engine and writers took no more here', kept: undefined });
    expect(lagPromise({ ...slow, p95Ms: 9_000 }).kept).toBe(false);
  });

  it('are not judged where they were not measured', () => {
    expect(ledgerPromises([]).map(({ measured, kept }) => ({ measured, kept }))).toEqual(
      Array.from({ length: 7 }, () => ({ measured: 'not measured in this run', kept: undefined })),
    );
  });
});

describe('a row', () => {
  const cell: Cell = { scenario: 'folded-100', server: 'engine', latencyMs: 0, concurrency: 10, side: 'millrace' };
  const run = { cpuUs: 20_000, requests: 4, readUnits: 0, writeUnits: 8, peakRssBytes: 100 };
  const runs = [50, 100, 200].map((elapsedMs) => ({ ...run, elapsedMs }));

  it('has medians, the fastest, how far they lie apart, and shares', () => {
    expect(rowOf(cell, runs, 90)).toEqual({
      ...cell,
      changes: 100,
      repetitions: 3,
      changesPerSecond: 1_000,
      fastestPerSecond: 2_000,
      deviationPerSecond: expect.closeTo(623.6, 1),
      elapsedMs: 100,
      requests: 4,
      readUnits: 0,
      writeUnits: 8,
      cpuUsPerChange: 200,
      cpuShare: 0.2,
      peakRssBytes: 100,
      grownRssBytes: 10,
    });
  });

  it('of the stub tells no units', () => {
    expect(rowOf({ ...cell, server: 'stub' }, runs, 90)).not.toHaveProperty('writeUnits');
  });

  it('takes its run in sequence from another scenario where it says so', () => {
    const cells = (['scattered-100', 'scattered-1000'] as const).map((scenario) => ({
      ...cell,
      scenario,
      concurrency: scenario === 'scattered-100' ? 1 : 50,
    }));
    const [, wide] = rowsOf({ elapsedMs: () => 100 }, cells);

    expect(wide?.timesSequential).toBeCloseTo(10);
    expect(wide).not.toHaveProperty('timesPlugin');
  });
});

describe('the published figures', () => {
  it('stand beside what was measured of them', () => {
    const cells = (['millrace', 'plugin'] as const).map(
      (side): Cell => ({ scenario: 'pipeline', server: 'stub', latencyMs: 20, concurrency: 50, side }),
    );

    expect(publishedTable(rowsOf({ elapsedMs: slowAlone }, cells), 'stub').rows).toEqual([
      ['pipeline of 1,000 changes over 24 hours, ms', '50', '1,200', '1,000', '100'],
    ]);
    expect(publishedTable(rowsOf({ elapsedMs: slowAlone }, cells), 'engine').rows).toEqual([]);
  });
});
