import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { livingOf, type RunningRun } from '../src/node/running.js';
import { realK6 } from './real-k6.js';
import { runLoad, type ShellRun, startLoad } from './shell-run.js';

const k6 = await realK6();
let results: string;
beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), 'millrace-stopped-'));
});
afterAll(() => rm(results, { recursive: true }));

const PATIENT = ['--vus', '4', '--p95', '60s', '--timeout', '60s', '--no-dashboard'];

/** The folder of the only run that goes on. */
async function folderOf(name: string): Promise<string> {
  const found = (await readdir(join(results, name)))[0];
  if (found === undefined) throw new Error(`${name} has no run`);
  return join(results, name, found);
}

const notedIn = async (folder: string): Promise<RunningRun> => JSON.parse(await readFile(join(folder, 'running.json'), 'utf8'));

/** Of a distributed run of four seconds, one worker is done something to as soon as it is there. */
async function disturbed(name: string, disturb: (pid: number, others: Promise<unknown>) => Promise<void>): Promise<ShellRun> {
  const args = ['run', 'simple', '--mode', 'distributed', '--workers', '2', '--duration', '3s', ...PATIENT];
  const load = startLoad([...args, '--results', join(results, name)]);
  await load.said(/worker 1 is launched/);
  const folder = await folderOf(name);
  let pid: number | undefined;
  while (pid === undefined) {
    pid = (await notedIn(folder)).processes.find(({ what }) => what === 'worker 0')?.pid;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await disturb(pid, load.said(/worker 1: /));
  return load.ended;
}

describe.skipIf(k6 === undefined)('a run with a part missing', () => {
  it('as a worker was killed, ends with 97 and says what is missing', async () => {
    const { code, stdout } = await disturbed('killed', async (pid) => void process.kill(pid, 'SIGKILL'));

    expect(stdout).toContain('outcome: partial');
    expect(stdout).toMatch(/2 distributed workers, 50 % of the load was made/);
    expect(stdout).toMatch(/worker 0: lost: worker 0 was ended by SIGKILL without an answer/);
    expect(code).toBe(97);
  });

  it('as a worker began too late, ends with 97, and that worker has made nothing', async () => {
    const { code, stdout } = await disturbed('late', async (pid, others) => {
      process.kill(pid, 'SIGSTOP');
      await others;
      process.kill(pid, 'SIGCONT');
    });

    expect(stdout).toMatch(/worker 0: late: .* after the start/);
    expect(stdout).toMatch(/✓ the table says what callers counted: rpm: (\d+) in the table, \1 counted/);
    expect(code).toBe(97);
  });

  it.each([
    ['stop', 'local', (name: string) => runLoad(['stop', 'latest', '--results', join(results, name)])],
    ['stop --all', 'distributed', (name: string) => runLoad(['stop', '--all', '--results', join(results, name)])],
  ])('as somebody said "%s" to a %s run, ends with 97, has its report, and leaves no process', async (_, mode, stop) => {
    const name = `stopped-${mode}`;
    const load = startLoad(['run', 'simple', '--mode', mode, '--duration', '10m', ...PATIENT, '--results', join(results, name)]);
    await load.said(mode === 'local' ? /simple for 600 s/ : /worker 1 is launched/);
    const folder = await folderOf(name);
    if (mode === 'local') while ((await notedIn(folder)).processes.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const noted = await notedIn(folder);
    const stopped = await stop(name);

    expect(stopped).toMatchObject({ code: 0, stdout: 'stopped: 1 processes\n', stderr: expect.stringContaining('is told to end') });
    const { code, stdout } = await load.ended;
    expect(stdout).toContain('outcome: partial');
    expect(code).toBe(97);
    expect(existsSync(join(folder, 'report.json'))).toBe(true);
    expect(existsSync(join(folder, 'running.json'))).toBe(false);
    expect(await livingOf(noted)).toEqual([]);
    expect(await runLoad(['stop', '--all', '--results', join(results, name)])).toMatchObject({ code: 0, stdout: 'stopped: nothing ran\n' });
  });

  it('loses no worker when its coordinator is killed: they end, and so does what is left', async () => {
    const load = startLoad([
      'run',
      'simple',
      '--mode',
      'distributed',
      '--duration',
      '10m',
      ...PATIENT,
      '--results',
      join(results, 'orphans'),
    ]);
    await load.said(/worker 1 is launched/);
    const folder = await folderOf('orphans');
    while ((await notedIn(folder)).processes.length < 3) await new Promise((resolve) => setImmediate(resolve));
    const noted = await notedIn(folder);
    load.child.kill('SIGKILL');
    await load.ended;
    const stopped = await runLoad(['stop', 'latest', '--results', join(results, 'orphans')]);

    expect(stopped.code).toBe(0);
    expect(await livingOf(noted)).toEqual([]);
  });
});

describe.skipIf(k6 === undefined)('what is told of a run', () => {
  it('is not on stdout with --json, which has one document', async () => {
    const args = ['local', 'simple', '--duration', '1s', ...PATIENT, '--json', '--results', join(results, 'json')];
    const { code, stdout, stderr } = await runLoad(args);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'passed', usage: { cpuPercent: expect.any(Number) } });
    expect(stderr).toContain('simple for 1 s');
    expect(stderr).not.toContain('\u001b');
  });

  it('is shown again by report, listed by runs, and held beside others by compare', async () => {
    const folder = ['--results', join(results, 'json')];
    await runLoad(['run', 'simple', '--mode', 'distributed', '--duration', '1s', ...PATIENT, ...folder]);
    const [runs, report, compared, markdown] = await Promise.all([
      runLoad(['runs', '--json', ...folder]),
      runLoad(['report', 'latest', '--markdown', ...folder]),
      runLoad(['compare', 'latest', 'latest', '--json', ...folder]),
      runLoad(['compare', 'latest', 'latest', '--markdown', ...folder]),
    ]);

    expect(JSON.parse(runs.stdout)).toMatchObject([{ summary: { runtime: 'distributed' } }, { summary: { runtime: 'local' } }]);
    expect(report.stdout).toContain('# simple: passed');
    expect(JSON.parse(compared.stdout)).toMatchObject({ differences: [{ perSecond: 0, p50: 0 }] });
    expect(markdown.stdout).toMatch(/^\| distributed simple-/m);
  });
});

describe('a command that can never work', () => {
  it.each([
    [['remote'], 'there is no command "remote"'],
    [['report', 'nothing'], 'there is no run "nothing"'],
    [['stop', 'nothing'], 'there is no run "nothing"'],
    [['run', 'simple', '--mode', 'cloud'], 'K6_CLOUD_TOKEN'],
    [['tune', 'simple', '--rate', '3'], 'leave --rate out'],
  ])('%j ends with 64', async (args, message) => {
    expect(await runLoad([...args, ...(args[0] === 'run' || args[0] === 'remote' ? [] : ['--results', results])])).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});
