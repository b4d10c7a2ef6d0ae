import { writeFile } from 'node:fs/promises';
import type { Bench, Terminal } from '../bench.js';
import { measureCells, siteOf } from '../measure/measure-cells.js';
import { exitOf } from '../render/outcome.js';
import { openSite, type Site } from '../servers/site.js';
import { checkExactness } from './exactness.js';
import { ACQUIRE_USAGE, type AcquireOptions, readAcquireOptions } from './options.js';
import { acquireSvg } from './plot.js';
import { checkProbing } from './probing.js';
import { type Evidence, promisesOf } from './promises.js';
import { type AcquireReport, acquireMarkdown, acquireText, promisesMarkdown } from './report.js';

const CHECK_CALLERS = 64;
const CHECK_ROUND_TRIP_MS = 5;
const EXACTNESS_MS = 2_000;

export const acquireBench: Bench = {
  name: 'acquire',
  summary: 'callers that ask again and again, beside the bare SDK and other limiters',
  usage: ACQUIRE_USAGE,
  async run(args, terminal) {
    const options = readAcquireOptions(args);
    const report = await measureAcquire(options, terminal.stderr);
    if (options.markdown !== undefined) await writeFile(options.markdown, `${promisesMarkdown(report)}\n${acquireMarkdown(report)}`);
    if (options.svg !== undefined) await writeFile(options.svg, acquireSvg(report.rows));
    terminal.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : acquireText(report));
    return exitOf(report.promises, options.check, terminal.stderr);
  },
};

/** Measures every cell, and what the hot and the exhausted key promise beside their speed. */
export async function measureAcquire(options: AcquireOptions, stderr: Terminal['stderr']): Promise<AcquireReport> {
  const measured = await measureCells(options.cells, options, stderr);
  const promises = promisesOf({ rows: measured.rows, ...(await checkOurs(options)) });
  return { bench: 'acquire', ...measured, promises };
}

async function checkOurs(options: AcquireOptions): Promise<Omit<Evidence, 'rows'>> {
  if (!options.contestants.some((name) => name.startsWith('millrace'))) return {};
  const onSite = async <T>(work: (site: Site) => Promise<T>): Promise<T> => {
    await using site = await openSite({ ...siteOf(options), roundTripMs: CHECK_ROUND_TRIP_MS });
    return await work(site);
  };
  const has = (caseName: string): boolean => options.cells.some((cell) => cell.caseName === caseName);
  return {
    ...(has('hot') ? { exactness: await onSite((site) => checkExactness(site, CHECK_CALLERS, EXACTNESS_MS)) } : {}),
    ...(has('exhausted') ? { probing: await onSite((site) => checkProbing(site, CHECK_CALLERS)) } : {}),
  };
}
