import type { CaseName } from '../contestants/contestant.js';
import type { Absence } from '../processes/roster.js';
import { figure, times } from '../render/figure.js';
import type { TextTable } from '../render/table.js';
import type { Pace, Row } from './cell.js';
import type { Outcome } from './promises.js';

/** All that `pnpm bench acquire` has found; what `--json` prints. */
export interface AcquireReport {
  readonly bench: 'acquire';
  /** What answered: the name of an engine, or `stub`. */
  readonly server: string;
  readonly machine: Machine;
  readonly pace: Pace;
  readonly rows: readonly Row[];
  readonly absences: readonly Absence[];
  readonly promises: readonly Outcome[];
}

/** What a reader must know of the machine; nothing that names it. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly node: string;
  readonly platform: string;
}

/** A case in the words of a heading. */
export const CASE_TITLES: Readonly<Record<CaseName, string>> = {
  distinct: 'Distinct keys: no two callers share one',
  hot: 'Hot key: all callers share one, which never refuses',
  exhausted: 'Exhausted key: all callers share one, whose tokens are gone',
  cascade: 'Cascade: keys of one parent, both are charged',
  'two-limits': 'Two limits of one key',
  available: 'Looking without taking',
};

/** The table of one case. Ratios are to the bare SDK of the same cell. */
export function caseTable(rows: readonly Row[], caseName: CaseName): TextTable {
  const ofCase = rows.filter((row) => row.caseName === caseName);
  return {
    titles: [
      'round trip',
      'callers',
      'contestant',
      'per second',
      'rate / bare',
      'CPU us/call',
      'CPU / bare',
      'p50 ms',
      'p99 ms',
      'requests/call',
      'write units/call',
    ],
    left: 3,
    rows: ofCase.map((row) => {
      const bare = ofCase.find(
        (other) => other.contestant === 'bare-sdk' && other.callers === row.callers && other.roundTripMs === row.roundTripMs,
      );
      return [
        `${row.roundTripMs} ms`,
        String(row.callers),
        row.contestant,
        figure(row.perSecond),
        times(bare && row.perSecond / bare.perSecond),
        figure(row.cpuUsPerCall),
        times(bare && row.cpuUsPerCall / bare.cpuUsPerCall),
        figure(row.p50Ms),
        figure(row.p99Ms),
        figure(row.requestsPerCall),
        figure(row.writeUnitsPerCall),
      ];
    }),
  };
}

/** The cases that were measured, in their order. */
export function casesOf(rows: readonly Row[]): readonly CaseName[] {
  return [...new Set(rows.map(({ caseName }) => caseName))];
}

/** What was promised, and what came of it. */
export function promiseTable(outcomes: readonly Outcome[]): TextTable {
  return {
    titles: ['', 'promise', 'measured'],
    left: 3,
    rows: outcomes.map(({ promise, measured, kept }) => [kept === undefined ? '-' : kept ? 'ok' : 'FAILED', promise, measured]),
  };
}

/** What the columns count, for those who read only the table. */
export const COLUMNS_NOTE =
  'CPU is that of the client process alone, load loop included. Write units are what the table reports, and 1 for each refused ' +
  'condition, which AWS bills and reports as none. The bare SDK is one conditional UpdateItem per call, two at once in a cascade.';
