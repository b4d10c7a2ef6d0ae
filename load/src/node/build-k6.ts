import { spawn } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PACKAGE_ROOT } from './package-root.js';
import { ask } from './shell.js';

/** The release that `tool/go.mod` pins. */
export const PINNED_VERSION = '2.2.0';

const MODULE = 'go.k6.io/k6/v2';
/** Go names each package that it compiles; a k6 is made of about so many. */
const PACKAGES = 1_100;
const SAY_EVERY = 100;
const BUILD_TIMEOUT_MS = 30 * 60_000;

/**
 * Builds k6 by the pinned module, static and without debug information, to a file that is there whole or not at all. Says
 * why not where it cannot: without Go, or with what Go said.
 */
export async function buildK6(path: string, env: NodeJS.ProcessEnv, say: (text: string) => void): Promise<string | undefined> {
  const go = await ask('go', ['version'], { timeoutMs: 20_000, env });
  if (go.code !== 0) return 'Go is not installed';
  say(`building k6 ${PINNED_VERSION} with ${/go\d\S*/.exec(go.stdout)?.[0] ?? 'go'}: once, two to four minutes of CPU`);
  await mkdir(dirname(path), { recursive: true });
  // Two processes may build at once: each to a file of its own, and the last to end wins.
  const draft = `${path}.${process.pid}`;
  const args = ['build', '-C', join(PACKAGE_ROOT, 'tool'), '-v', '-trimpath', '-ldflags', '-s -w', '-o', draft, MODULE];
  const { code, tail } = await follow('go', args, { ...env, CGO_ENABLED: '0' }, say);
  if (code === 0) {
    await rename(draft, path);
    say(`built ${path}`);
    return undefined;
  }
  await rm(draft, { force: true });
  return `go build ended with ${code}: ${tail}`;
}

function follow(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  say: (text: string) => void,
): Promise<{ readonly code: number | null; readonly tail: string }> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: BUILD_TIMEOUT_MS });
  let [compiled, tail] = [0, ''];
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail = line;
    compiled += 1;
    if (compiled % SAY_EVERY === 0) say(`  ${compiled} of about ${PACKAGES} packages compiled`);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, tail: error.message }));
    child.once('close', (code) => resolve({ code, tail }));
  });
}
