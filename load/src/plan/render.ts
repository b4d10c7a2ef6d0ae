import type { Series } from './figures.js';
import type { Report } from './report.js';
import { COST_COUNTERS, REFUSED_RATE, SERIES } from './series.js';
import { grouped } from './tables.js';
import type { Judgement } from './thresholds.js';

const HEAD = ['series', 'count', 'per second', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'] as const;

/** The report as text for a terminal. */
export function renderTerminal(report: Report): string {
  const rows = seriesRows(report);
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`;
  return [
    `${report.scenario}: ${report.question}`,
    sizesOf(report),
    '',
    line(HEAD),
    ...rows.map(line),
    '',
    ...report.judgements.map((judgement) => `  ${mark(judgement.ok)} ${saidOf(judgement)}`),
    ...(report.exactness?.checks ?? []).map(({ ok, name, detail }) => `  ${mark(ok)} ${name}: ${detail}`),
    ...report.notes.map((note) => `  - ${note}`),
    '',
    costOf(report),
    ...tookOf(report),
    `outcome: ${report.outcome}`,
    '',
  ].join('\n');
}

/** The report as a page of markdown. */
export function renderMarkdown(report: Report): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `# ${report.scenario}: ${report.outcome}`,
    '',
    report.question,
    '',
    `${sizesOf(report)} Started ${report.startedAt}, ${report.runtime}.`,
    '',
    row(HEAD),
    row(HEAD.map((_, column) => (column === 0 ? '---' : '---:'))),
    ...seriesRows(report).map(row),
    '',
    '## Verdict',
    '',
    ...report.judgements.map((judgement) => `- ${mark(judgement.ok)} ${saidOf(judgement)}`),
    ...(report.exactness?.checks ?? []).map(({ ok, name, detail }) => `- ${mark(ok)} ${name}: ${detail}`),
    ...report.notes.map((note) => `- ${note}`),
    '',
    costOf(report),
    ...tookOf(report),
    '',
  ].join('\n');
}

/** Series that were measured, in the order in which they are named. */
function seriesRows({ figures }: Report): readonly (readonly string[])[] {
  return SERIES.flatMap((name) => {
    const series = figures.series[name];
    return series === undefined || series.count === 0 ? [] : [rowOf(name, series, figures.durationMs)];
  });
}

function rowOf(name: string, { count, p50, p95, p99, max }: Series, durationMs: number): readonly string[] {
  return [name, fixed(count), fixed((count * 1_000) / Math.max(1, durationMs)), fixed(p50), fixed(p95), fixed(p99), fixed(max)];
}

function sizesOf({ settings }: Report): string {
  const { users, perSecond, durationMs, cascade, callers, mode } = settings;
  const arrival = perSecond === undefined ? `${users} users` : `${perSecond} turns a second, at most ${users} users`;
  const extras = [
    ...(callers === 1 ? [] : [`${callers} callers each`]),
    ...(cascade ? ['cascade'] : []),
    ...(mode === 'direct' ? [] : ['through the Node service']),
  ];
  return `${[arrival, `${durationMs / 1_000} s`, ...extras].join(', ')}.`;
}

function saidOf(judgement: Judgement): string {
  const { metric, stat, op, value, measured } = judgement;
  const text = (figure: number): string => {
    if (stat === 'rate') return `${fixed(Number((100 * figure).toFixed(2)))} %`;
    return stat === 'count' ? fixed(figure, 4) : `${fixed(figure)} ms`;
  };
  return `${metric}: ${stat} ${measured === undefined ? 'not measured' : text(measured)}, wanted ${OPERATORS[op]}${text(value)}`;
}

/** How a bound is said of the figure that it is on. */
const OPERATORS: Readonly<Record<Judgement['op'], string>> = { '<': '< ', '<=': '≤ ', '>': '> ', '>=': '≥ ', '==': '' };

function costOf({ figures }: Report): string {
  const { counts, series, rates } = figures;
  const acquires = rates[REFUSED_RATE]?.count ?? series['acquire']?.count ?? 0;
  const each = COST_COUNTERS.map((name) => `${fixed((counts[name] ?? 0) / Math.max(1, acquires), 3)} ${name.replaceAll('_', ' ')}`);
  return `Each acquire cost ${each.join(', ')}, all else included.`;
}

/** What made the load: where it is a core and more, the figures are k6's as much as the limiter's. */
function tookOf({ usage, runtime }: Report): readonly string[] {
  if (usage === undefined) return [];
  const [cpu, memory] = [`${usage.cpuPercent.toFixed(0)} % of a core`, `${usage.peakMb.toFixed(0)} MB`];
  return [runtime === 'local' ? `k6 took ${cpu} and ${memory}.` : `k6 took ${cpu} on each worker, the mean of all, and at most ${memory}.`];
}

function mark(ok: boolean): string {
  return ok ? '✓' : '✗';
}

/** A figure with so many decimals that it says something, and none that say nothing. */
function fixed(value: number, decimals = 2): string {
  return grouped(Number.isInteger(value) ? `${value}` : value.toFixed(decimals));
}
