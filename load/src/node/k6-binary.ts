import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildK6, PINNED_VERSION } from './build-k6.js';
import { programsFolder } from './package-root.js';
import { ask } from './shell.js';

/** A k6 that scripts can be given to. */
export interface K6Binary {
  readonly path: string;
  readonly version: string;
  /** `K6_BIN`, `PATH`, or `built`. */
  readonly from: string;
}

/** There is no k6, and none could be made. The message says what was looked for, and what to do. */
export class NoK6 extends Error {
  override readonly name = 'NoK6';
}

/** What is older has no text encoding, and other flags. */
const OLDEST = [2, 2] as const;
const VERSION = /\bv(\d+)\.(\d+)\.(\d+)/;

/** Where one that is built here is kept, by Node's names for its system. */
export function builtPath(platform: string = process.platform, arch: string = process.arch): string {
  const ending = platform === 'win32' ? '.exe' : '';
  return join(programsFolder(), `k6-${PINNED_VERSION}-${platform}-${arch}${ending}`);
}

/**
 * Finds a k6: the one that `K6_BIN` names, one on the PATH that is new enough, or the one that was built here. Where there is
 * none and Go is installed, it is built once, which takes some minutes; `say` hears how far that is.
 *
 * @throws NoK6 where there is none
 */
export async function findK6(env: NodeJS.ProcessEnv, say: (text: string) => void): Promise<K6Binary> {
  const { K6_BIN: named } = env;
  if (named !== undefined && named !== '') {
    const version = await versionOf(named, env);
    // Who names one wants that one, so a wrong name is told and not passed over.
    if (version === undefined)
      throw new NoK6(`K6_BIN: ${named} is no k6 that runs; set it to one of ${OLDEST.join('.')} or newer, or unset it`);
    if (!isNewEnough(version)) throw new NoK6(`K6_BIN: ${named} is k6 ${version}; it takes ${OLDEST.join('.')} or newer`);
    return { path: named, version, from: 'K6_BIN' };
  }
  const onPath = await versionOf('k6', env);
  if (onPath !== undefined && isNewEnough(onPath)) return { path: 'k6', version: onPath, from: 'PATH' };
  const path = builtPath();
  if (!existsSync(path)) {
    const why = await buildK6(path, env, say);
    if (why !== undefined) {
      const onPathSaid = onPath === undefined ? 'none' : `${onPath}, which is too old`;
      throw new NoK6(
        `no k6. Looked for, in this order:\n  K6_BIN: not set\n  PATH: ${onPathSaid}\n  ${path}: not built (${why})\n` +
          `Do one of these: install Go 1.25 or newer and run "pnpm k6 version"; install k6 ${OLDEST.join('.')} or newer; set K6_BIN to one.`,
      );
    }
  }
  const version = await versionOf(path, env);
  if (version === undefined) throw new NoK6(`${path} does not run; remove it, and it is built again`);
  return { path, version, from: 'built' };
}

async function versionOf(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { stdout } = await ask(path, ['version'], { timeoutMs: 20_000, env });
  return VERSION.exec(stdout)?.[0].slice(1);
}

/** Compares `2.10.1` with the oldest that will do. */
function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
