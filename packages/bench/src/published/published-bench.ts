import { writeFile } from 'node:fs/promises';
import { readOptions, wholesOf } from '../arguments.js';
import type { Bench, Terminal } from '../bench.js';
import type { CaseName } from '../contestants/contestant.js';
import type { Row } from '../measure/cell.js';
import { absencesText, type Measured, measureCells } from '../measure/measure-cells.js';
import { MEASURE_OPTIONS, MEASURE_USAGE, type MeasureOptions, measureOptions } from '../measure/measure-options.js';
import { figure } from '../render/figure.js';
import { markdownTable, plainTable, type TextTable } from '../render/table.js';

/** One line of a published table. */
interface PublishedLine {
  readonly title: string;
  readonly caseName: CaseName;
  readonly callers: 'one' | 'many';
  /** What was published of it, one figure or range to a place; undefined where nothing was. */
  readonly published: readonly (string | undefined)[];
}

/** A table of figures that a peer has published: what stands in it, and how ours are read off. */
export interface PublishedTable {
  readonly name: 'latency' | 'throughput';
  readonly summary: string;
  readonly unit: string;
  /** Where the published figures were measured. */
  readonly places: readonly string[];
  readonly lines: readonly PublishedLine[];
  figureOf(row: Row): number;
}

/** What such a bench is to do. */
interface PublishedOptions extends MeasureOptions {
  readonly roundTripsMs: readonly number[];
  readonly callers: number;
  readonly json: boolean;
  readonly markdown?: string;
}

/** What it has found; what `--json` prints. */
export interface PublishedReport extends Measured {
  readonly bench: PublishedTable['name'];
  readonly unit: string;
  readonly callers: number;
}

const MANY = 32;
const NOTE =
  'Published figures are those of zae-limiter, of other machines and an older release of it; they are no baseline. All others were ' +
  'measured in this run.';

/** A bench that measures ours and others in the lines of a published table. */
export function publishedBench(table: PublishedTable): Bench {
  return {
    name: table.name,
    summary: table.summary,
    usage: usageOf(table),
    async run(args, terminal) {
      const options = readPublishedOptions(args);
      const report = await measurePublished(table, options, terminal.stderr);
      if (options.markdown !== undefined) await writeFile(options.markdown, publishedMarkdown(table, report));
      terminal.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : publishedText(table, report));
      return 0;
    },
  };
}

function usageOf({ name, summary }: PublishedTable): string {
  return `Usage: pnpm bench ${name} [options]

Measures ${summary}.

  --round-trip 0,5    milliseconds that a network adds, there and back (0,5)
  --callers N         how many ask at once in the concurrent lines (${MANY})
${MEASURE_USAGE}  --quick             0.2 seconds, one repetition, no added round trip
  --json              one JSON document on stdout
  --markdown FILE     write the tables
`;
}

export function readPublishedOptions(args: readonly string[]): PublishedOptions {
  const given = readOptions(args, {
    ...MEASURE_OPTIONS,
    'round-trip': { type: 'string' },
    callers: { type: 'string' },
    json: { type: 'boolean' },
    markdown: { type: 'string' },
  });
  return {
    ...measureOptions(given),
    roundTripsMs: wholesOf('round-trip', given['round-trip'], given.quick === true ? [0] : [0, 5], 0, 1_000),
    callers: wholesOf('callers', given.callers, [MANY], 2, 1_024)[0] as number,
    json: given.json ?? false,
    ...(given.markdown === undefined ? {} : { markdown: given.markdown }),
  };
}

/** Measures every line at every round trip. */
export async function measurePublished(
  table: PublishedTable,
  options: PublishedOptions,
  stderr: Terminal['stderr'],
): Promise<PublishedReport> {
  const cells = options.roundTripsMs.flatMap((roundTripMs) =>
    table.lines.map(({ caseName, callers }) => ({ caseName, callers: callers === 'one' ? 1 : options.callers, roundTripMs })),
  );
  const measured = await measureCells(cells, options, stderr);
  return { bench: table.name, unit: table.unit, callers: options.callers, ...measured };
}

/** The lines of one round trip, ours and others' beside what was published. */
export function tableAt(table: PublishedTable, { rows }: PublishedReport, roundTripMs: number): TextTable {
  const here = rows.filter((row) => row.roundTripMs === roundTripMs);
  const contestants = [...new Set(here.map(({ contestant }) => contestant))];
  const measuredOf = (line: PublishedLine, contestant: string): Row | undefined =>
    here.find((row) => row.contestant === contestant && row.caseName === line.caseName && (row.callers === 1) === (line.callers === 'one'));
  return {
    titles: ['', ...contestants, ...table.places.map((place) => `published: ${place}`)],
    left: 1,
    rows: table.lines.map((line) => [
      line.title,
      ...contestants.map((contestant) => {
        const row = measuredOf(line, contestant);
        return figure(row && table.figureOf(row));
      }),
      ...table.places.map((_, index) => line.published[index] ?? '-'),
    ]),
  };
}

function roundTripsOf({ rows }: PublishedReport): readonly number[] {
  return [...new Set(rows.map(({ roundTripMs }) => roundTripMs))];
}

function headingAt({ unit }: PublishedTable, { callers, server }: PublishedReport, roundTripMs: number): string {
  return `${unit}; round trip + ${roundTripMs} ms, ${server}, ${callers} callers where concurrent`;
}

function publishedText(table: PublishedTable, report: PublishedReport): string {
  const parts = roundTripsOf(report).map((ms) => `${headingAt(table, report, ms)}\n\n${plainTable(tableAt(table, report, ms))}\n`);
  return `${parts.join('')}${absencesText(report)}${NOTE}\n`;
}

/** The tables for a page. */
export function publishedMarkdown(table: PublishedTable, report: PublishedReport): string {
  const parts = roundTripsOf(report).map((ms) => `${headingAt(table, report, ms)}:\n\n${markdownTable(tableAt(table, report, ms))}\n`);
  return `${parts.join('')}${absencesText(report)}${NOTE}\n`;
}
