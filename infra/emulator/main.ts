import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startEmulator } from './emulator.js';
import { EMULATOR_FOLDER, emulatorPython } from './python.js';

/** Where the log of a run that failed is kept. */
const LOG = join(EMULATOR_FOLDER, '.log', 'emulator.log');

/**
 * Runs a command beside an emulator, with the environment by which the CDK, the AWS SDK and the AWS command line find it:
 * `tsx infra/emulator/main.ts cdk deploy --all`. Its exit code is the command's. A Node process reads whom it trusts when it
 * starts, so the emulator must be there before the command.
 */
async function main([program, ...options]: readonly string[]): Promise<number> {
  if (program === undefined) throw new Error('usage: main.ts <command> [<argument> …]');
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await rm(LOG, { force: true });
  const emulator = await startEmulator(say);
  try {
    say(`AWS is emulated at ${emulator.endpoint}; if this fails, its log stays in ${LOG}`);
    const code = await run(program, options, { ...emulator.environment, EMULATOR_PYTHON: await emulatorPython(say) });
    if (code !== 0) await keep(await emulator.log());
    return code;
  } finally {
    await emulator.stop();
  }
}

function run(program: string, options: readonly string[], environment: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { stdio: 'inherit', env: { ...process.env, ...environment } });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function keep(log: string): Promise<void> {
  await mkdir(dirname(LOG), { recursive: true });
  await writeFile(LOG, log);
}

process.exitCode = await main(process.argv.slice(2));
