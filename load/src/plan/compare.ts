import type { Report } from './report.js';
import { ERRORS_RATE, REFUSED_RATE } from './series.js';
import type { RunSettings } from './settings.js';
import { figure, markdownTable, NOTHING, type Table, terminalTable } from './tables.js';

/** What of a run is held beside others. */
export interface RunSummary {
  readonly run: string;
  readonly scenario: string;
  readonly runtime: string;
  /** The limiter's engine in k6, or a Node service. */
  readonly mode: RunSettings['mode'];
  readonly outcome: Report['outcome'];
  readonly users: number;
  /** Turns a second that were asked for; absent where users came back when they were ready. */
  readonly askedPerSecond?: number;
  /** Acquires, refused or not. */
  readonly acquires: number;
  readonly perSecond: number;
  /** Of admitted acquires, in milliseconds. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  /** Shares, 0 to 1. */
  readonly errors: number;
  readonly refused: number;
  /** For each acquire, as AWS bills them: a refused condition is one, too. */
  readonly writeUnits: number;
  /** Of one core, the mean of all workers. */
  readonly cpuPercent: number | undefined;
}

type Measure = 'perSecond' | 'p50' | 'p95' | 'p99' | 'errors' | 'refused' | 'writeUnits' | 'cpuPercent';

/** Runs beside each other, and what differs from the first. */
export interface Comparison {
  readonly runs: readonly RunSummary[];
  /** Relative to the first run: 0.25 is a quarter more. Shares and CPU are differences in points. Null where one was not measured. */
  readonly differences: readonly ({ readonly run: string } & Readonly<Record<Measure, number | null>>)[];
  /** Why the runs may not be comparable. */
  readonly notes: readonly string[];
}

/** What of a report is held beside others. */
export function summaryOf(run: string, { scenario, runtime, outcome, settings, figures, usage }: Report): RunSummary {
  const { series, counts, rates, durationMs } = figures;
  const { acquire } = series;
  const isMeasured = acquire !== undefined && acquire.count > 0;
  const acquires = (acquire?.count ?? 0) + (series['rate_limited']?.count ?? 0);
  const { perSecond } = settings;
  return {
    run,
    scenario,
    runtime,
    mode: settings.mode,
    outcome,
    users: settings.users,
    ...(perSecond === undefined ? {} : { askedPerSecond: perSecond }),
    acquires,
    perSecond: (acquires * 1_000) / Math.max(1, durationMs),
    p50: isMeasured ? acquire.p50 : undefined,
    p95: isMeasured ? acquire.p95 : undefined,
    p99: isMeasured ? acquire.p99 : undefined,
    errors: rates[ERRORS_RATE]?.rate ?? 0,
    refused: rates[REFUSED_RATE]?.rate ?? 0,
    writeUnits: ((counts['write_units'] ?? 0) + (counts['refused_writes'] ?? 0)) / Math.max(1, acquires),
    cpuPercent: usage?.cpuPercent,
  };
}

/** Holds runs beside the first of them. */
export function compareRuns(runs: readonly RunSummary[], reports: readonly Report[]): Comparison {
  const [first] = runs;
  if (first === undefined) return { runs, differences: [], notes: [] };
  const differences = runs.slice(1).map((run) => ({
    run: run.run,
    perSecond: relative(first.perSecond, run.perSecond),
    p50: relative(first.p50, run.p50),
    p95: relative(first.p95, run.p95),
    p99: relative(first.p99, run.p99),
    errors: run.errors - first.errors,
    refused: run.refused - first.refused,
    writeUnits: relative(first.writeUnits, run.writeUnits),
    cpuPercent: first.cpuPercent === undefined || run.cpuPercent === undefined ? null : run.cpuPercent - first.cpuPercent,
  }));
  return { runs, differences, notes: [...unlike(reports), ...unpassed(runs)] };
}

function relative(from: number | undefined, to: number | undefined): number | null {
  if (from === undefined || to === undefined) return null;
  if (from === 0) return to === 0 ? 0 : null;
  return to / from - 1;
}

/** What makes a difference that is none of the runtime's. */
function unlike(reports: readonly Report[]): readonly string[] {
  const keys = ['scenario', 'mode', 'users', 'perSecond', 'durationMs', 'cascade', 'callers', 'connections'] as const;
  return keys.flatMap((key) => {
    const values = [...new Set(reports.map(({ settings }) => `${settings[key] ?? 'none'}`))];
    return values.length > 1 ? [`the runs differ in ${key}: ${values.join(', ')}`] : [];
  });
}

function unpassed(runs: readonly RunSummary[]): readonly string[] {
  return runs.flatMap(({ run, outcome }) => (outcome === 'passed' ? [] : [`${run}: ${outcome}`]));
}

const HEAD = ['runtime', 'users', 'acquires', 'per second', 'p50 ms', 'p95 ms', 'p99 ms', 'errors', 'refused', 'write units', 'CPU'];

/** The runs as a table: for each one where it was made, and what came of it. */
function runsTable({ runs }: Comparison): Table {
  const names = labels(runs);
  const rows = runs.map((run, at) => [
    names[at] ?? '',
    `${run.users}`,
    figure(run.acquires),
    figure(run.perSecond),
    ...[run.p50, run.p95, run.p99].map((value) => (value === undefined ? NOTHING : figure(value))),
    percent(run.errors),
    percent(run.refused),
    figure(run.writeUnits),
    run.cpuPercent === undefined ? NOTHING : `${run.cpuPercent.toFixed(0)} %`,
  ]);
  return { head: HEAD, rows };
}

function differencesTable({ runs, differences }: Comparison): Table {
  const names = labels(runs);
  const rows = differences.map((run, at) => [
    names[at + 1] ?? '',
    ...[run.perSecond, run.p50, run.p95, run.p99].map(change),
    ...[run.errors, run.refused].map((points) => (points === null ? NOTHING : `${signed(100 * points)} pts`)),
    change(run.writeUnits),
    run.cpuPercent === null ? NOTHING : `${signed(run.cpuPercent)} pts`,
  ]);
  return { head: [`against ${names[0] ?? ''}`, ...HEAD.slice(3)], rows };
}

/** Where runs were made says which is which; two of one runtime have their names. */
function labels(runs: readonly RunSummary[]): readonly string[] {
  const places = runs.map(({ runtime, mode }) => (mode === 'gateway' ? `${runtime}, gateway` : runtime));
  return runs.map(({ run }, at) =>
    places.filter((place) => place === places[at]).length > 1 ? `${places[at]} ${run}` : (places[at] ?? run),
  );
}

/** The comparison as text for a terminal. */
export function renderComparison(comparison: Comparison): string {
  const notes = comparison.notes.map((note) => `  - ${note}\n`).join('');
  return `${terminalTable(runsTable(comparison))}\n${terminalTable(differencesTable(comparison))}${notes === '' ? '' : `\n${notes}`}`;
}

/** The comparison as markdown. */
export function comparisonMarkdown(comparison: Comparison): string {
  const notes = comparison.notes.map((note) => `- ${note}\n`).join('');
  return `${markdownTable(runsTable(comparison))}\n${markdownTable(differencesTable(comparison))}${notes === '' ? '' : `\n${notes}`}`;
}

function change(by: number | null): string {
  return by === null ? NOTHING : `${signed(100 * by)} %`;
}

function signed(value: number): string {
  const text = figure(value);
  return value > 0 ? `+${text}` : text;
}

function percent(share: number): string {
  return share === 0 ? '0' : `${figure(100 * share)} %`;
}
