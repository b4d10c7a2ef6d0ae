import type { CaseName } from '../contestants/contestant.js';
import type { Row } from '../measure/cell.js';
import { absencesText, type Measured } from '../measure/measure-cells.js';
import { figure, times } from '../render/figure.js';
import { type Outcome, promiseTable } from '../render/outcome.js';
import { markdownTable, plainTable, type TextTable } from '../render/table.js';

/** All that `pnpm bench acquire` has found; what `--json` prints. */
export interface AcquireReport extends Measured {
  readonly bench: 'acquire';
  readonly promises: readonly Outcome[];
}

/** A case in the words of a heading. */
const CASE_TITLES: Readonly<Record<CaseName, string>> = {
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
function casesOf(rows: readonly Row[]): readonly CaseName[] {
  return [...new Set(rows.map(({ caseName }) => caseName))];
}

/** What the columns count, for those who read only the table. */
const COLUMNS_NOTE =
  'CPU is that of the client process alone, load loop included. Write units are what the table reports, and 1 for each refused ' +
  'condition, which AWS bills and reports as none. The bare SDK is one conditional UpdateItem per call, two at once in a cascade.';

/** What stdout gets. */
export function acquireText(report: AcquireReport): string {
  const tables = casesOf(report.rows).map((name) => `${CASE_TITLES[name]}\n\n${plainTable(caseTable(report.rows, name))}\n`);
  return `${tables.join('')}${absencesText(report)}${COLUMNS_NOTE}\n\n${plainTable(promiseTable(report.promises))}`;
}

/** The tables for a page; promises stand in a section of their own. */
export function acquireMarkdown(report: AcquireReport): string {
  const tables = casesOf(report.rows).map((name) => `### ${CASE_TITLES[name]}\n\n${markdownTable(caseTable(report.rows, name))}\n`);
  return `${tables.join('')}${absencesText(report)}${COLUMNS_NOTE}\n`;
}

/** The promises for a page. */
export function promisesMarkdown({ promises }: AcquireReport): string {
  return markdownTable(promiseTable(promises));
}
