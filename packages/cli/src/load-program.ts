import { CliFailure } from './failure.js';
import type { Terminal } from './terminal.js';

type LoadPackage = typeof import('@millrace/load');

/** How load tests are called here, in what they say of themselves. */
const NAME = 'millrace load';

/** Finds the load tests, which are only there where somebody has installed them: with k6, an engine and a bundler beside it. */
async function loadPackage(load: () => Promise<LoadPackage> = () => import('@millrace/load')): Promise<LoadPackage> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // One that is there and lacks something of its own is broken, and says what it lacks.
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes('@millrace/load')) throw error;
    throw new CliFailure('USAGE', `${NAME} needs the package @millrace/load, which is not installed`, 'npm install @millrace/load');
  }
}

/**
 * Runs `millrace load …`, whose words are none of this program's: the same as `pnpm load …` of the repository.
 *
 * @throws CliFailure where the package is not installed
 */
export async function runLoad(args: readonly string[], { out, err, env }: Terminal, load?: () => Promise<LoadPackage>): Promise<number> {
  const { runFromShell } = await loadPackage(load);
  return runFromShell(args, { stdout: out, stderr: err, env, name: NAME });
}
