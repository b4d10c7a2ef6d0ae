import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The peer that is measured, exactly. */
const PEER_VERSION = '0.17.0';
const FIND_TIMEOUT_MS = 10_000;
const INSTALL_TIMEOUT_MS = 300_000;

/** A Python that can run the peer, and the client script; or why there is none. */
export type PeerPython = { readonly python: string; readonly script: string } | { readonly reason: string };

/** Finds Python, and installs the peer from its registry the first time, in a folder of its own that is kept. */
export async function findPeerPython(say: (text: string) => void): Promise<PeerPython> {
  const home = fileURLToPath(new URL(`../../node_modules/.cache/zae-limiter-${PEER_VERSION}`, import.meta.url));
  const script = fileURLToPath(new URL('../../python/zae_client.py', import.meta.url));
  const python = join(home, 'bin', 'python');
  const complete = join(home, 'complete');
  if (existsSync(complete)) return { python, script };
  try {
    await run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], { timeout: FIND_TIMEOUT_MS });
  } catch {
    return { reason: 'it needs Python 3.11 or newer as python3' };
  }
  try {
    say(`installing zae-limiter ${PEER_VERSION} (once)`);
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    await run('python3', ['-m', 'venv', home], { timeout: INSTALL_TIMEOUT_MS });
    await run(python, ['-m', 'pip', 'install', '--quiet', `zae-limiter==${PEER_VERSION}`], { timeout: INSTALL_TIMEOUT_MS });
    await writeFile(complete, '');
    return { python, script };
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    return { reason: `it could not be installed: ${lastLine((error as Error).message)}` };
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
