import { writeFile } from 'node:fs/promises';
import type { Bench, Terminal } from '../bench.js';
import { describeMachine } from '../machine.js';
import { Roster } from '../processes/roster.js';
import { type Progress, progressOn } from '../progress.js';
import { markdownTable, plainTable } from '../render/table.js';
import { openSite, type Site } from '../servers/site.js';
import { measureCell, type Row } from './cell.js';
import { checkExactness, type Exactness } from './exactness.js';
import { ACQUIRE_USAGE, type AcquireOptions, readAcquireOptions } from './options.js';
import { checkProbing, type Probing } from './probing.js';
import { promisesOf } from './promises.js';
import { type AcquireReport, CASE_TITLES, COLUMNS_NOTE, casesOf, caseTable, promiseTable } from './report.js';

const CHECK_CALLERS = 64;
const CHECK_ROUND_TRIP_MS = 5;
const EXACTNESS_MS = 2_000;

export const acquireBench: Bench = {
  name: 'acquire',
  summary: 'callers that ask again and again, beside the bare SDK and other limiters',
  usage: ACQUIRE_USAGE,
  async run(args, terminal) {
    const options = readAcquireOptions(args);
    const report = await measureAcquire(options, terminal);
    if (options.markdown !== undefined) await writeFile(options.markdown, acquireMarkdown(report));
    terminal.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : acquireText(report));
    return options.check && report.promises.some(({ kept }) => kept === false) ? 1 : 0;
  },
};

/** Measures every cell on a site of its own, and what the hot and the exhausted key promise beside their speed. */
export async function measureAcquire(options: AcquireOptions, terminal: Pick<Terminal, 'stderr'>): Promise<AcquireReport> {
  const { cells, contestants, pace, server, engine } = options;
  const progress = progressOn(terminal.stderr, cells.length * contestants.length * pace.repetitions);
  const siteOptions = { server, ...(engine === undefined ? {} : { engine }) };
  await using roster = await Roster.start(contestants, (text) => progress.say(text));
  const rows: Row[] = [];
  let answered = '';
  try {
    for (const cell of cells) {
      progress.say(`${cell.caseName}, ${cell.callers} callers, ${cell.roundTripMs} ms`);
      await using site = await openSite({ ...siteOptions, roundTripMs: cell.roundTripMs });
      answered = site.server;
      rows.push(...(await measureCell(cell, roster, site, pace, progress.step)));
    }
    const evidence = await checkOurs(options, siteOptions, progress);
    const promises = promisesOf({ rows, ...evidence });
    return { bench: 'acquire', server: answered, machine: describeMachine(), pace, rows, absences: roster.absences, promises };
  } finally {
    progress.end();
  }
}

async function checkOurs(
  { cells, contestants }: AcquireOptions,
  siteOptions: Pick<Parameters<typeof openSite>[0], 'server'>,
  progress: Progress,
): Promise<{ exactness?: Exactness; probing?: Probing }> {
  if (!contestants.some((name) => name.startsWith('millrace'))) return {};
  const onSite = async <T>(work: (site: Site) => Promise<T>): Promise<T> => {
    await using site = await openSite({ ...siteOptions, roundTripMs: CHECK_ROUND_TRIP_MS });
    return await work(site);
  };
  progress.say('order, bound and probes');
  const has = (caseName: string): boolean => cells.some((cell) => cell.caseName === caseName);
  return {
    ...(has('hot') ? { exactness: await onSite((site) => checkExactness(site, CHECK_CALLERS, EXACTNESS_MS)) } : {}),
    ...(has('exhausted') ? { probing: await onSite((site) => checkProbing(site, CHECK_CALLERS)) } : {}),
  };
}

function acquireText(report: AcquireReport): string {
  const tables = casesOf(report.rows).map((name) => `${CASE_TITLES[name]}\n\n${plainTable(caseTable(report.rows, name))}\n`);
  const absent = report.absences.map(({ contestant, reason }) => `${contestant} took no part: ${reason}\n`);
  return `${tables.join('')}${absent.join('')}${COLUMNS_NOTE}\n\n${plainTable(promiseTable(report.promises))}`;
}

/** The tables for a page. */
export function acquireMarkdown(report: AcquireReport): string {
  const tables = casesOf(report.rows).map((name) => `### ${CASE_TITLES[name]}\n\n${markdownTable(caseTable(report.rows, name))}\n`);
  const absent = report.absences.map(({ contestant, reason }) => `${contestant} took no part: ${reason}\n\n`);
  return `${markdownTable(promiseTable(report.promises))}\n${tables.join('')}${absent.join('')}${COLUMNS_NOTE}\n`;
}
