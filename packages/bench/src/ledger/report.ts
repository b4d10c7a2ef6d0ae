import { figure, times } from '../render/figure.js';
import { type Outcome, promiseTable } from '../render/outcome.js';
import { markdownTable, plainTable, type TextTable } from '../render/table.js';
import type { LagRow } from './lag/measure-lag.js';
import { LAG_NOTE, LAG_TITLE, lagTable } from './lag/report.js';
import type { MeasuredLedger } from './measure.js';
import { publishedTable } from './published.js';
import type { Row } from './row.js';
import { scenarioOf } from './scenarios.js';

/** All that `pnpm bench ledger` has found; what `--json` prints. */
export interface LedgerReport extends MeasuredLedger {
  readonly bench: 'ledger';
  /** Absent where it was not measured. */
  readonly lag?: LagRow;
  readonly promises: readonly Outcome[];
}

const MEBIBYTE = 1_048_576;

/** The table of one scenario. */
function scenarioTable(rows: readonly Row[], scenario: string): TextTable {
  return {
    titles: [
      'server',
      'latency',
      'at once',
      'side',
      'changes/s',
      'fastest',
      'deviation',
      'x sequential',
      "x plugin's",
      'requests',
      'read units',
      'write units',
      'CPU us/change',
      'CPU of a core',
      'peak RSS MB',
    ],
    left: 4,
    rows: rows
      .filter((row) => row.scenario === scenario)
      .map((row) => [
        row.server,
        `${row.latencyMs} ms`,
        String(row.concurrency),
        row.side,
        figure(row.changesPerSecond),
        figure(row.fastestPerSecond),
        figure(row.deviationPerSecond),
        times(row.timesSequential),
        times(row.timesPlugin),
        figure(row.requests),
        figure(row.readUnits),
        figure(row.writeUnits),
        figure(row.cpuUsPerChange),
        `${figure(row.cpuShare * 100)} %`,
        figure(row.peakRssBytes / MEBIBYTE),
      ]),
  };
}

/** What the columns count, for those who read only the tables. */
const COLUMNS_NOTE =
  'A change is one write to a bucket. Requests and units are those of all changes together; a window that is new costs one write unit more, ' +
  'for its entry in the index of windows. The stub knows no units. What the plugin pays to write each change down first is not counted. ' +
  'CPU and memory are those of the process that works the changes off; each line is a process of its own. Of 100 changes and less three runs are done in a round; long ones in sequence are done once.';

function totalsText({ totalsChecked, repetitions, servers, rows }: MeasuredLedger): string {
  const counted = new Intl.NumberFormat('en-US').format(totalsChecked);
  const rounds = rows.length === 0 ? '' : `Medians of ${repetitions} rounds. `;
  return `Servers: ${servers.join(', ')}. ${rounds}${counted} totals were compared with brute force; all are right.`;
}

/** Where engines' own pace hides the latency, the reader must be told. */
function paceNote(rows: readonly Row[]): string {
  const bare = rows.filter(({ server, latencyMs }) => server === 'engine' && latencyMs === 0);
  const fastest = Math.max(...bare.map(({ requests, elapsedMs }) => (requests * 1_000) / elapsedMs));
  return Number.isFinite(fastest)
    ? `The engine and the client together do not pass ${figure(fastest)} requests a second here, whatever the latency: lines near that pace ` +
        'measure them, and not the concurrency. `--server stub` takes the engine out.\n\n'
    : '';
}

type Render = (table: TextTable) => string;

function tablesOf(report: LedgerReport, render: Render, heading: (text: string) => string): string {
  const scenarios = [...new Set(report.rows.map(({ scenario }) => scenario))];
  const tables = scenarios.map((name) => `${heading(`${name}: ${scenarioOf(name).does}`)}${render(scenarioTable(report.rows, name))}\n`);
  const published = (['engine', 'stub'] as const)
    .map((server) => publishedTable(report.rows, server))
    .filter(({ rows }) => rows.length > 0);
  const beside = published.map(
    (table) => `${heading("What the plugin's authors published, of another store and machine")}${render(table)}\n`,
  );
  const pace = report.rows.length === 0 ? '' : `${paceNote(report.rows)}${COLUMNS_NOTE}\n`;
  const lag = report.lag === undefined ? '' : `${heading(LAG_TITLE)}${render(lagTable(report.lag))}\n${LAG_NOTE}`;
  return [`${tables.join('')}${beside.join('')}${pace}`, lag].filter((part) => part !== '').join('\n');
}

/** What stdout gets. */
export function ledgerText(report: LedgerReport): string {
  const tables = tablesOf(report, plainTable, (text) => `${text}\n\n`);
  return `${totalsText(report)}\n\n${tables}\n${plainTable(promiseTable(report.promises))}`;
}

/** What was promised and measured, for a page. */
export function ledgerPromisesMarkdown(report: LedgerReport): string {
  return `${totalsText(report)}\n\n${markdownTable(promiseTable(report.promises))}`;
}

/** Everything that was measured, for a page. */
export function ledgerTablesMarkdown(report: LedgerReport): string {
  return `${totalsText(report)}\n\n${markdownTables(report)}`;
}

/** All of it: what `--markdown` writes. */
export function ledgerMarkdown(report: LedgerReport): string {
  return `${ledgerPromisesMarkdown(report)}\n${markdownTables(report)}`;
}

function markdownTables(report: LedgerReport): string {
  return tablesOf(report, markdownTable, (text) => `### ${text}\n\n`);
}
