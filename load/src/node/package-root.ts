import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package: what is built lies deeper in it than its source. */
export const PACKAGE_ROOT = rootFrom(dirname(fileURLToPath(import.meta.url)));

/**
 * Whether this is the repository, where scenarios are sources that somebody may be changing. An installed package has what was
 * bundled of them, and its folder is nobody's to write into.
 */
export const IS_REPOSITORY = existsSync(join(PACKAGE_ROOT, 'scenarios', 'index.ts'));

/** Where bundled scripts and the worker are. */
export const BUNDLES = join(PACKAGE_ROOT, 'dist', 'k6');
export const WORKER = join(PACKAGE_ROOT, 'dist', 'worker', 'index.mjs');

/** Where the aggregator is in an installed package. */
export const AGGREGATOR = join(PACKAGE_ROOT, 'dist', 'aggregator', 'index.mjs');

/** Where a k6 that was built is kept. */
export function programsFolder(env: NodeJS.ProcessEnv = process.env): string {
  return IS_REPOSITORY ? join(PACKAGE_ROOT, 'bin') : join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'millrace', 'k6');
}

/** The folder that runs' folders are made in, unless the command names one. */
export function resultsFolder(given?: string): string {
  return given ?? (IS_REPOSITORY ? join(PACKAGE_ROOT, 'results') : join(process.cwd(), 'load-results'));
}

function rootFrom(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('no package.json above the load package');
  return rootFrom(above);
}
