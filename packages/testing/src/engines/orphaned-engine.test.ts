import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { machineSources } from './engine-sources.js';
import { findEngine } from './find-engine.js';

const { found: dynoxide, reason } = await findEngine('dynoxide', machineSources(process.env));
const gone = { timeout: 30_000, interval: 20 };
let folder: string;
/** The temporary folder of the parents, and, being part of every command line below it, their processes' mark. */
let temporary: string;
let rounds = 0;
let parents: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-orphan-test-'));
  await build({
    entryPoints: [fileURLToPath(new URL('./launch-engine.ts', import.meta.url))],
    outfile: join(folder, 'launch-engine.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
});
beforeEach(async () => {
  rounds += 1;
  temporary = join(folder, `round-${rounds}`);
  await mkdir(temporary);
});
afterEach(() => {
  for (const parent of parents) parent.kill('SIGKILL');
  parents = [];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(dynoxide === undefined || process.platform === 'win32')(
  `an engine whose parent is gone ${reason ?? ''}`,
  { timeout: 60_000 },
  () => {
    it('ends with a parent that was killed by SIGKILL, and its folder goes too', async () => {
      const { parent, endpoint } = await parentWithEngine('await new Promise(() => setInterval(() => {}, 1000));');
      expect(await markedProcesses()).toHaveLength(2);

      parent.kill('SIGKILL');

      await nothingIsLeft();
      await expect(fetch(endpoint)).rejects.toThrow('fetch failed');
    });

    it('ends when the whole process group of the parent is killed', async () => {
      const { parent } = await parentWithEngine('await new Promise(() => setInterval(() => {}, 1000));');

      process.kill(-(parent.pid as number), 'SIGKILL');

      await nothingIsLeft();
    });

    it('does not keep a parent alive that forgets to close it', async () => {
      const { parent } = await parentWithEngine('');
      if (parent.exitCode === null) await once(parent, 'exit');

      expect(parent.exitCode).toBe(0);
      await nothingIsLeft();
    });

    it('is closed by a parent that has nothing else to do', async () => {
      const { parent } = await parentWithEngine('await engine.close();');
      if (parent.exitCode === null) await once(parent, 'exit');

      expect(parent.exitCode).toBe(0);
      expect(await markedProcesses()).toEqual([]);
      expect(await readdir(temporary)).toEqual([]);
    });

    it('ends when its supervisor is killed, although the parent lives', async () => {
      const { parent } = await parentWithEngine('await new Promise(() => setInterval(() => {}, 1000));');
      const supervisor = (await markedProcesses()).find(({ command }) => command.includes('mkdirSync'));

      process.kill((supervisor as { pid: number }).pid, 'SIGKILL');

      await nothingIsLeft();
      expect(parent.exitCode).toBeNull();
    });
  },
);

/** A Node of its own that launches dynoxide on a marked database, prints the endpoint, and goes on with `then`. */
async function parentWithEngine(then: string): Promise<{ parent: ChildProcess; endpoint: string }> {
  const script = join(folder, `parent-${rounds}.mjs`);
  const launch = `await launchEngine({ dbPath: ${JSON.stringify(`${temporary}.db`)} })`;
  await writeFile(
    script,
    `import { launchEngine } from './launch-engine.mjs';\nconst engine = ${launch};\nconsole.log(engine.endpoint);\n${then}\n`,
  );
  const parent = spawn(process.execPath, [script], {
    detached: true,
    env: { ...process.env, DYNAMODB_ENDPOINT: '', DYNOXIDE_BINARY: dynoxide?.path, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  parents.push(parent);
  const [endpoint] = await once(parent.stdout, 'data');
  return { parent, endpoint: String(endpoint).trim() };
}

async function nothingIsLeft(): Promise<void> {
  await expect.poll(markedProcesses, gone).toEqual([]);
  await expect.poll(() => readdir(temporary), gone).toEqual([]);
}

/** Supervisor and engine of this round: both have the database's path among their arguments. */
async function markedProcesses(): Promise<readonly { pid: number; command: string }[]> {
  const all = process.platform === 'linux' ? await linuxProcesses() : await psProcesses();
  return all.filter(({ command }) => command.includes(`${temporary}.db`));
}

/** From /proc: a slim container has no ps. */
async function linuxProcesses(): Promise<{ pid: number; command: string }[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const commands = pids.map(async (pid) => ({
    pid,
    command: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
  }));
  return Promise.all(commands);
}

async function psProcesses(): Promise<{ pid: number; command: string }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: 1 << 26 });
  // macOS writes the line breaks in the supervisor's source as \012, so a process stays a line.
  return stdout.split('\n').map((command) => ({ pid: Number.parseInt(command, 10), command }));
}
