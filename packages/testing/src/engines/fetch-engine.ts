import { existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmInstall } from './npm-install.js';

/** The path of what was fetched, or why there is nothing. */
export type FetchedFile = { readonly path: string; readonly reason?: never } | { readonly path?: never; readonly reason: string };

/** Which file of which package is wanted. */
export interface FetchRequest {
  readonly packageName: string;
  readonly version: string;
  readonly programFile: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The parts of a fetch that a test replaces. */
export interface FetchParts {
  readonly cacheFolder: string | undefined;
  /** Puts the package under `node_modules` of a folder that has an empty package.json. */
  readonly install: (folder: string, spec: string, env: NodeJS.ProcessEnv) => Promise<void>;
  readonly say: (line: string) => void;
}

/**
 * Gives the program of a platform's package, asking npm for it the first time.
 *
 * npm writes to a folder of its own and the package is then renamed into its place, so a reader sees all of it or
 * nothing, and of several that fetch at once each ends with a whole one.
 */
export async function fetchEngine(request: FetchRequest, parts: FetchParts = machineParts()): Promise<FetchedFile> {
  const { packageName, version, programFile } = request;
  const { cacheFolder } = parts;
  if (cacheFolder === undefined) return { reason: 'there is no node_modules folder to keep it in' };
  const home = join(cacheFolder, `${packageName.replace('@', '').replace('/', '-')}-${version}`);
  const path = join(home, programFile);
  if (await isThere(path)) return { path };

  const spec = `${packageName}@${version}`;
  let staging: string | undefined;
  try {
    await mkdir(cacheFolder, { recursive: true });
    staging = await mkdtemp(join(cacheFolder, 'fetching-'));
    // npm looks upwards for the project it works on; this stops it here.
    await writeFile(join(staging, 'package.json'), '{ "private": true }\n');
    parts.say(`millrace: fetching ${spec} by npm, once, into ${home}`);
    await parts.install(staging, spec, request.env);
    await rename(join(staging, 'node_modules', ...packageName.split('/')), home).catch(async (error: unknown) => {
      if (!(await isThere(path))) throw error;
    });
    return (await isThere(path)) ? { path } : { reason: `the package holds no file ${programFile}` };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  } finally {
    if (staging !== undefined) await rm(staging, { recursive: true, force: true, maxRetries: 10 });
  }
}

function machineParts(): FetchParts {
  return { cacheFolder: nearestCache(), install: npmInstall, say: (line) => process.stderr.write(`${line}\n`) };
}

function nearestCache(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'node_modules'))) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return join(folder, 'node_modules', '.cache', 'millrace-engine');
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
