import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

/**
 * How the wrapper of a worker becomes one file: the same for a child process, a Lambda function and a container.
 *
 * @param entry Its source, or what was compiled of it.
 */
export function workerBundle(entry: string): BuildOptions {
  return {
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    conditions: [...(entry.endsWith('.ts') ? ['@millrace/source'] : []), 'module'],
    // Some dependencies are CommonJS and ask for `require`, which an ES module has not.
    banner: { js: "import { createRequire as millraceRequire } from 'node:module'; const require = millraceRequire(import.meta.url);" },
    legalComments: 'none',
    logLevel: 'error',
  };
}

/** Writes the worker that a child process and a container run. */
export async function buildWorker(outfile: string): Promise<void> {
  await build({ ...workerBundle(besideThis(import.meta.url, '../distributed/worker-main')), outfile });
}

/** A file beside a module, as the module is now: a source in a test, compiled elsewhere. */
export function besideThis(module: string, file: string): string {
  return fileURLToPath(new URL(`${file}.${module.endsWith('.ts') ? 'ts' : 'js'}`, module));
}
