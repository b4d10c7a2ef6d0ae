import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runListing } from './listing.js';
import { reportText } from './result-texts.js';
import { findRun, listRuns, runFolders } from './results.js';
import { livingOf, RunningNote, runningIn } from './running.js';

let results: string;
beforeEach(async () => {
  results = await mkdtemp(join(tmpdir(), 'millrace-results-'));
});
afterEach(() => rm(results, { recursive: true }));

const report = (run: string) => ({
  scenario: 'simple',
  question: 'What <is> it?',
  settings: { run, users: 10, durationMs: 1_000, callers: 1, mode: 'direct', scenario: 'simple' },
  runtime: 'lambda',
  startedAt: '2026-01-01T00:00:00.000Z',
  outcome: 'passed',
  figures: { durationMs: 1_000, series: {}, counts: {}, rates: {} },
  judgements: [],
  notes: [],
});

async function made(
  run: string,
  files: Readonly<Record<string, string>> = { 'report.json': JSON.stringify(report(run)) },
): Promise<string> {
  const folder = join(results, run);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const OLD = 'simple-20260101-000000-aaaa';
const NEW = 'hot-key-20260102-000000-bbbb';

describe('a run', () => {
  it('is found by its name, the beginning of it, its folder, and as the latest', async () => {
    await made(OLD);
    const folder = await made(NEW);

    for (const wanted of [NEW, 'hot', 'latest', folder]) expect((await findRun(wanted, results)).run).toBe(NEW);
  });

  it.each([
    ['nothing', 'there is no run "nothing"'],
    ['simple', 'may be'],
    ['draft', 'has no report yet'],
    ['broken', 'is no report: it is not JSON'],
    ['strange', 'is no report of a run'],
  ])('%j is refused: %s', async (wanted, message) => {
    await made(OLD);
    await made('simple-20260103-000000-cccc');
    await made('draft', {});
    await made('broken', { 'report.json': '{' });
    await made('strange', { 'report.json': '{}' });

    await expect(findRun(wanted, results)).rejects.toThrow(message);
  });

  it('without a dashboard has a page of its report, in which nothing is markup that was none', async () => {
    await made(OLD);
    const page = await reportText({ run: OLD, format: 'html', results });

    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('What &lt;is&gt; it?');
    await made(NEW, { 'report.json': JSON.stringify(report(NEW)), 'dashboard.html': '<!doctype html>k6' });
    expect(await reportText({ run: NEW, format: 'html', results })).toBe('<!doctype html>k6');
  });
});

describe('the listing of runs', () => {
  it('has the newest first, and says which goes on and which left nothing', async () => {
    await made(OLD);
    const left = await made('simple-20260104-000000-dddd', {});
    const note = await RunningNote.open(await made(NEW, {}), { run: NEW, place: 'local' });
    // One whose number was given to another process since then.
    await writeFile(
      join(left, 'running.json'),
      JSON.stringify({ run: 'x', place: 'local', processes: [{ pid: process.pid, identity: 'other', what: 'k6' }] }),
    );

    const listed = await listRuns(results, 50);
    expect(listed.map(({ run, state }) => [run, state])).toEqual([
      ['simple-20260104-000000-dddd', 'left'],
      [NEW, 'running'],
      [OLD, 'ended'],
    ]);
    expect(runListing(listed, results)).toMatch(/running\n.*lambda.*passed\n$/s);
    expect(await listRuns(results, 1)).toHaveLength(1);
    note.close();
    expect((await listRuns(results, 50))[1]?.state).toBe('left');
  });

  it('leaves searches out, whose runs are below them', async () => {
    await made(OLD);
    await made(join('tune-simple-20260105-000000-eeee', 'steps', NEW));

    expect((await listRuns(results, 50)).map(({ run }) => run)).toEqual([OLD]);
    expect(await runFolders(results)).toContain(join(results, 'tune-simple-20260105-000000-eeee', 'steps', NEW));
  });

  it('is empty where nothing ran', async () => {
    expect(runListing(await listRuns(join(results, 'none'), 50), 'there')).toBe('no runs in there\n');
  });
});

describe('the note of a run that goes on', () => {
  it('names its processes by number and start, and is gone with it', async () => {
    const folder = await made(NEW, {});
    const note = await RunningNote.open(folder, { run: NEW, place: 'fargate', stack: 'Rig' });
    // No process has this number.
    await note.add(2 ** 30, 'k6');

    const running = runningIn(folder);
    expect(running).toMatchObject({ run: NEW, stack: 'Rig', processes: [{ pid: process.pid, what: 'coordinator' }] });
    expect(running?.processes).toHaveLength(1);
    expect(running && (await livingOf(running))).toHaveLength(1);
    note.close();
    await note.add(process.pid, 'k6');
    await expect(readFile(join(folder, 'running.json'))).rejects.toThrow();
  });
});
