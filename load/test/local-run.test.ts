import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../scenarios/index.js';
import { type RunCommand, runCommand } from '../src/node/arguments.js';
import { bundleScenario } from '../src/node/bundle.js';
import { runK6 } from '../src/node/k6-process.js';
import { BUNDLES } from '../src/node/package-root.js';
import { runProgram } from '../src/node/program.js';
import { type EndedRun, runScenario } from '../src/node/run-scenario.js';
import { expressionOf } from '../src/plan/thresholds.js';
import { realK6 } from './real-k6.js';
import { runLoad } from './shell-run.js';

const k6 = await realK6();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-load-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Bounds that a machine keeps that has other things to do. */
const PATIENT = ['--duration', '2s', '--p95', '60s', '--timeout', '60s'];

const command = (...args: string[]): RunCommand => ({ ...runCommand([...args, ...PATIENT, '--no-dashboard']), results: folder });

function run(given: RunCommand): Promise<EndedRun> {
  return runScenario(given, { env: process.env, say: () => undefined });
}

/** What k6 put into the page of its dashboard: the charts, and what they show. */
function drawnBy(page: string): string {
  const [, data = ''] = /gzip; base64">\s*([^<]+)/.exec(page) ?? [];
  return gunzipSync(Buffer.from(data, 'base64')).toString();
}

async function program(...args: string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const writer = (lines: string[]) => ({ write: (text: string) => lines.push(text) });
  const code = await runProgram(args, { stdout: writer(stdout), stderr: writer(stderr), env: process.env });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

describe.skipIf(k6 === undefined)('pnpm load local', () => {
  if (k6 === undefined) return;

  it('measures, judges, checks the table, and writes its reports', async () => {
    const args = ['local', 'simple', '--vus', '3', '--cascade', ...PATIENT, '--results', join(folder, 'whole')];
    const { code, stdout, stderr } = await program(...args);

    expect(stderr).toContain('reports are in');
    expect(stdout).toContain('outcome: passed');
    expect(code).toBe(0);
    const [name = ''] = await readdir(join(folder, 'whole'));
    expect((await readdir(join(folder, 'whole', name))).sort()).toEqual([
      'dashboard.html',
      'figures.json',
      'k6.log',
      'report.json',
      'report.md',
    ]);
    const read = (file: string) => readFile(join(folder, 'whole', name, file), 'utf8');
    const report = JSON.parse(await read('report.json'));
    expect(report.figures.series.acquire.count).toBeGreaterThan(0);
    expect(report.exactness.checks.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, true, true]);
    expect(report.exactness.checks[3].name).toContain('ledger');
    expect(await read('report.md')).toContain('| acquire |');
    // What is published is left as it was built.
    expect((await readdir(BUNDLES)).filter((file) => !file.endsWith('.js'))).toEqual([]);
    // Nothing of the keys, and a page that needs no other.
    expect(JSON.stringify(report)).not.toMatch(/secret/i);
    const page = await read('dashboard.html');
    expect(page).toMatch(/^<!doctype html>/i);
    expect(drawnBy(page)).toContain('Write units per acquire');
    // The name as such, which only samples bring: the chart's query goes on behind it.
    expect(drawnBy(page)).toContain('write_units_per_acquire"');
  });

  it.each(SCENARIOS.filter(({ name }) => name !== 'simple'))('runs $name, and the table is exact', async ({ name, manages = false }) => {
    const { report } = await run(command(name, '--vus', '4', '--rate', '20'));

    // Nothing that a slow machine fails: neither latencies, nor turns that came too late.
    expect(report.exactness).toMatchObject({ ok: true });
    expect(report.exactness?.checks.at(-1)?.name).toContain('ledger');
    expect(report.figures.rates['limiter_errors']).toMatchObject({ rate: 0 });
    expect(report.figures.series['acquire']?.count).toBeGreaterThan(0);
    expect((report.figures.series['set_resource']?.count ?? 0) > 0).toBe(manages);
    expect(report.notes.filter((note) => !note.startsWith('the Node service answered'))).toEqual([]);
  });

  it.each(SCENARIOS.filter(({ name, cascades }) => cascades && name !== 'simple'))(
    'runs $name with its cascade, and parents gave what their children gave',
    async ({ name }) => {
      const { report } = await run({ ...command(name, '--vus', '3', '--rate', '20', '--cascade'), durationMs: 1_000 });

      expect(report.exactness).toMatchObject({ ok: true });
      // Turns that were broken off would be a reason not to judge.
      expect(report.figures.counts['turns_begun']).toBe(report.figures.counts['turns_ended']);
      const parents = report.exactness?.checks.find(({ name }) => name === 'every parent gave what its children gave');
      expect(parents?.detail).toMatch(/^[\d,]+ parents?, [1-9][\d,]* tokens?$/);
      expect(report.figures.rates['limiter_errors']).toMatchObject({ rate: 0 });
      expect(report.figures.series['acquire']?.count).toBeGreaterThan(0);
    },
  );

  it('drives a Node service with the SDK inside, and its books are exact, too', async () => {
    const { report } = await run(command('llm-gateway', '--via', 'gateway', '--vus', '4', '--rate', '10', '--no-ledger'));

    expect(report.exactness).toMatchObject({ ok: true });
    expect(JSON.stringify(report.exactness)).not.toContain('ledger');
    expect(report.figures.series['commit']?.count).toBeGreaterThan(0);
    expect(report.figures.counts['write_units']).toBeGreaterThan(0);
    expect(report.notes).toEqual([expect.stringMatching(/^the Node service answered \d+ requests/)]);
  });

  it('ends with 99 where a threshold failed, and k6 judges as the report does', async () => {
    const given = { ...command('simple', '--rate', '20', '--vus', '3'), acquireP95Ms: 0 };
    const { report } = await run(given);

    expect(report.outcome).toBe('threshold failed');
    expect(report.judgements.filter(({ ok }) => !ok).map(expressionOf)).toEqual(['p(95)<0']);
    expect(
      (await program('local', 'simple', ...PATIENT.slice(0, 2), '--vus', '2', '--p95', '1ms', '--no-dashboard', '--results', folder)).code,
    ).toBe(99);
  });

  it('ends with 1 where nobody listens at the endpoint, and says so', async () => {
    const results = join(folder, 'nobody');
    const args = ['local', 'simple', '--endpoint', 'http://127.0.0.1:1', '--timeout', '300ms', '--results', results];
    const { code, stdout, stderr } = await runLoad(args, { ...process.env, AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' });

    expect(stderr).toMatch(/^load: the store gave no answer: .*ECONNREFUSED 127\.0\.0\.1:1$/m);
    expect(stderr).toMatch(/^hint: does a DynamoDB answer there\? .*--endpoint/m);
    expect(stdout).toBe('');
    expect(code).toBe(1);
    // Nothing was measured, so there is no run to look at.
    expect(existsSync(results)).toBe(false);
  });

  it('ends with 64 for arguments that can never work', async () => {
    expect(await program('local', 'nothing')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('there is no scenario "nothing"'),
    });
    expect(await program('remote')).toMatchObject({ code: 64 });
    expect(await program()).toMatchObject({ code: 64 });
    expect(await program('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes') });
  });
});

describe.skipIf(k6 === undefined)('k6', () => {
  if (k6 === undefined) return;

  it('gives up with 99 soon after the store is gone, whatever the run was to last', async () => {
    const settings = {
      scenario: 'simple',
      mode: 'direct',
      run: 'gone',
      table: 'gone',
      namespace: 'default',
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      users: 2,
      durationMs: 3_600_000,
      cascade: false,
      callers: 1,
      requestTimeoutMs: 300,
      figuresFile: join(folder, 'gone.json'),
    };
    const script = await bundleScenario('simple', 'direct');
    const env = { ...process.env, AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's', MILLRACE_LOAD: JSON.stringify(settings) };
    const end = await runK6({ binary: k6, script, args: [], env, logFile: join(folder, 'gone.log'), timeoutMs: 120_000 });

    expect(end.code).toBe(99);
    expect(JSON.parse(await readFile(join(folder, 'gone.json'), 'utf8')).rates.limiter_errors.rate).toBe(1);
  });

  it('is shared by workers that are processes, and judged once', async () => {
    const args = [
      'run',
      'simple',
      '--mode',
      'distributed',
      '--workers',
      '3',
      '--vus',
      '6',
      ...PATIENT,
      '--results',
      join(folder, 'shared'),
    ];
    const { code, stdout, stderr } = await program(...args);

    expect(stdout).toContain('outcome: passed');
    expect(code).toBe(0);
    expect(stderr.match(/worker \d: finished/g)).toHaveLength(3);
    const [name = ''] = await readdir(join(folder, 'shared'));
    const report = JSON.parse(await readFile(join(folder, 'shared', name, 'report.json'), 'utf8'));
    expect(report.runtime).toBe('distributed');
    expect(report.exactness.checks.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
    expect(report.figures.counts.turns_begun).toBe(report.figures.counts.turns_ended);
    expect(report.notes).toContain('3 distributed workers');
  });

  it('is shared by more workers where the plan has more users, each crew started ahead', { timeout: 60_000 }, async () => {
    const shape = ['--shape', 'daily', '--vus', '4', '--users-per-worker', '3', '--duration', '9s'];
    const results = join(folder, 'scaled');
    const patient = ['--p95', '60s', '--timeout', '60s', '--results', results];
    const { code, stdout, stderr } = await program('run', 'llm-production', '--mode', 'distributed', ...shape, ...patient);

    expect(stderr).toMatch(/1 to 2 workers, 3 parts, from .* on: 1 at 0 s, 2 at 3 s/);
    expect(stdout).toContain('outcome: passed');
    expect(code).toBe(0);
    const [name = ''] = await readdir(results);
    const read = async (file: string) => JSON.parse(await readFile(join(results, name, file), 'utf8'));
    const workers: { worker: number; slice: number; outcome: string }[] = await read('workers.json');
    expect(workers.map(({ worker, slice, outcome }) => [slice, worker, outcome])).toEqual([
      [0, 0, 'finished'],
      [1, 0, 'finished'],
      [1, 1, 'finished'],
    ]);
    const report = await read('report.json');
    expect(report.exactness.checks.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
    expect(report.figures.counts.turns_begun).toBe(report.figures.counts.turns_ended);
    expect(report.notes).toContain('1 to 2 distributed workers');
  });
});
