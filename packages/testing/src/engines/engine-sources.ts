import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type FetchedFile, fetchEngine } from './fetch-engine.js';

/** What a search for engines asks of the machine. */
export interface EngineSources {
  readonly env: NodeJS.ProcessEnv;
  /** As the engines' packages write it: `linux-x64`, `darwin-arm64`, `win32-x64`. */
  readonly platform: string;
  /** The absolute path, if that is a file. */
  existingFile(path: string): Promise<string | undefined>;
  /** A program in an installed package. */
  installedFile(packageName: string, program: string): Promise<string | undefined>;
  /** A program in a package that npm is asked for, unless it was before. */
  fetchedFile(packageName: string, version: string, program: string): Promise<FetchedFile>;
  javaRuns(): Promise<boolean>;
}

const javaTimeoutMs = 30_000;

/** This machine, seen through `env`. */
export function machineSources(env: NodeJS.ProcessEnv): EngineSources {
  return {
    env,
    platform: `${process.platform}-${process.arch}`,
    existingFile,
    installedFile(packageName, program) {
      const packageFolder = installedPackage(packageName);
      return packageFolder === undefined ? Promise.resolve(undefined) : existingFile(join(packageFolder, programFile(program)));
    },
    fetchedFile: (packageName, version, program) => fetchEngine({ packageName, version, programFile: programFile(program), env }),
    javaRuns: () =>
      new Promise((done) => {
        execFile('java', ['-version'], { env, timeout: javaTimeoutMs, windowsHide: true }, (error) => done(error === null));
      }),
  };
}

function installedPackage(packageName: string): string | undefined {
  try {
    // The packages have no entry point; their package.json is the one file sure to be there.
    return dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`));
  } catch {
    return undefined;
  }
}

async function existingFile(path: string): Promise<string | undefined> {
  const absolute = resolve(path);
  const isFile = await stat(absolute).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? absolute : undefined;
}

function programFile(program: string): string {
  return process.platform === 'win32' ? `${program}.exe` : program;
}
