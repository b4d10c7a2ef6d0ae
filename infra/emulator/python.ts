import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the overlay, of what it needs, and of its virtual environment. */
export const EMULATOR_FOLDER = fileURLToPath(new URL('.', import.meta.url));

const ENVIRONMENT = join(EMULATOR_FOLDER, '.venv');
const STAMP = join(ENVIRONMENT, 'requirements.sha256');
const REQUIREMENTS = join(EMULATOR_FOLDER, 'requirements.txt');

/**
 * The Python that has the emulator and the linters: made on first use, and again when what is required has changed. That
 * takes about half a minute, and the network.
 *
 * @throws Error that says what to install, where Python or its `venv` is missing
 */
export async function emulatorPython(say: (line: string) => void): Promise<string> {
  const python = join(ENVIRONMENT, 'bin', 'python');
  const wanted = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex');
  if ((await readFile(STAMP, 'utf8').catch(() => undefined)) === wanted) return python;
  checkPython();
  say('making the virtual environment of the emulator');
  await rm(ENVIRONMENT, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', ENVIRONMENT], 'install the package that brings "venv" (Debian and Ubuntu: python3-venv)');
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes', '--requirement', REQUIREMENTS];
  await run(python, install, 'see what pip says');
  // Last, so that what was begun and not ended is made again.
  await writeFile(STAMP, wanted);
  return python;
}

function checkPython(): void {
  const script = 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else 1)';
  const { error, status } = spawnSync('python3', ['-c', script]);
  if (error !== undefined) throw new Error(`pnpm test:deploy needs Python 3.10 or later as "python3", and there is none: ${error.message}`);
  if (status !== 0) throw new Error('pnpm test:deploy needs Python 3.10 or later as "python3", and this one is older');
}

function run(program: string, options: readonly string[], remedy: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`"${program} ${options.join(' ')}" ended with ${code}; ${remedy}`));
    });
  });
}
