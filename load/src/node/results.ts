import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Report } from '../plan/report.js';
import { UsageError } from './flags.js';
import { livingOf, runningIn } from './running.js';

/** A run whose report was read. */
export interface ReadRun {
  /** The name of its folder. */
  readonly run: string;
  readonly folder: string;
  readonly report: Report;
}

/** A folder of the results as `runs` lists it. */
export interface ListedRun {
  readonly run: string;
  readonly folder: string;
  /** `ended` has a report; `running` has a process that is there; `left` has neither: whoever ran it was killed. */
  readonly state: 'ended' | 'running' | 'left';
  readonly report?: Report;
}

/** Where the search for the best number of users keeps its runs: below its own folder. */
export const STEPS = 'steps';

/** The newest run, whatever its name. */
const LATEST = 'latest';

/**
 * Finds a run: by its folder, its name, the beginning of its name that is only its own, or as the latest.
 *
 * @throws UsageError if there is none, or there are several
 */
export async function findRun(wanted: string, results: string): Promise<ReadRun> {
  const folder = await folderOf(wanted, results);
  const file = join(folder, 'report.json');
  if (!existsSync(file)) throw new UsageError(`run "${wanted}" has no report yet: ${folder} has no report.json`);
  return { run: basename(folder), folder, report: await readReport(file) };
}

/** The folder of a run, whether it has ended or not. @throws UsageError */
export async function folderOf(wanted: string, results: string): Promise<string> {
  const asPath = resolve(wanted);
  if (/[\\/]|^\.+$/.test(wanted) && existsSync(asPath)) return asPath;
  const names = await namesIn(results);
  const [newest] = names;
  if (wanted === LATEST && newest !== undefined) return join(results, newest);
  const found = names.includes(wanted) ? [wanted] : names.filter((name) => name.startsWith(wanted));
  const [only] = found;
  if (only === undefined) throw new UsageError(`there is no run "${wanted}" in ${results}; "runs" lists those there are`);
  if (found.length > 1) throw new UsageError(`"${wanted}" may be ${found.slice(0, 5).join(', ')}${found.length > 5 ? ' or others' : ''}`);
  return join(results, only);
}

/** What ran, newest first; at most so many. */
export async function listRuns(results: string, most: number): Promise<readonly ListedRun[]> {
  const names = await namesIn(results);
  return Promise.all(names.slice(0, most).map((run) => listed(run, join(results, run))));
}

/** The folders of all runs, also of those that a search for the best number of users has made. */
export async function runFolders(results: string): Promise<readonly string[]> {
  const entries = await readdir(results, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(results, name));
  const below = await Promise.all(
    folders.filter((folder) => existsSync(join(folder, STEPS))).map((folder) => runFolders(join(folder, STEPS))),
  );
  return [...folders, ...below.flat()];
}

async function listed(run: string, folder: string): Promise<ListedRun> {
  const running = runningIn(folder);
  if (running !== undefined && (await livingOf(running)).length > 0) return { run, folder, state: 'running' };
  try {
    return { run, folder, state: 'ended', report: await readReport(join(folder, 'report.json')) };
  } catch {
    return { run, folder, state: 'left' };
  }
}

/** Runs are folders, newest first; so is what a search for the best number of users leaves, which is no run. */
async function namesIn(results: string): Promise<readonly string[]> {
  const entries = await readdir(results, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !existsSync(join(results, entry.name, STEPS))).map(({ name }) => name);
  return names.sort((a, b) => timeIn(b).localeCompare(timeIn(a)) || b.localeCompare(a));
}

/** The time in a run's name. Folders that somebody has named come last. */
function timeIn(name: string): string {
  return /\d{8}-\d{6}/.exec(name)?.[0] ?? '';
}

/** @throws UsageError if it is no report of a run */
async function readReport(file: string): Promise<Report> {
  const text = await readFile(file, 'utf8');
  let report: Partial<Report>;
  try {
    report = JSON.parse(text) as Partial<Report>;
  } catch {
    throw new UsageError(`${file} is no report: it is not JSON`);
  }
  if (report.figures?.series === undefined || report.settings === undefined || report.outcome === undefined)
    throw new UsageError(`${file} is no report of a run: it has no figures, settings and outcome`);
  return report as Report;
}
