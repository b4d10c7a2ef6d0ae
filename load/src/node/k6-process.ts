import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { K6Binary } from './k6-binary.js';

/** What is run, and what it is told. */
export interface K6Run {
  readonly binary: K6Binary;
  readonly script: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where all that k6 prints goes. */
  readonly logFile: string;
  /** After this k6 is told to end, and soon after it is ended: a script may hang. */
  readonly timeoutMs: number;
  /** Told of the process once it runs. */
  readonly onStart?: (pid: number) => void;
  /** Has k6 end its turns and write what it has. */
  readonly signal?: AbortSignal;
}

/** How k6 ended. */
export interface K6End {
  /** k6's own exit code; undefined if it was killed, or could not be started. */
  readonly code: number | undefined;
  /** The first line that k6 logged as an error; undefined if there was none. */
  readonly complaint: string | undefined;
}

/** k6's exit codes that are looked at. */
export const K6_EXIT = { ok: 0, thresholdsFailed: 99, aborted: 105 } as const;

const KILL_AFTER_MS = 40_000;
const COMPLAINT = /level=(?:error|fatal) msg="((?:[^"\\]|\\.)*)"/;

/** Flags of every run: nothing is asked of the internet, and k6's own bar and summary are not wanted. */
const QUIET = ['--quiet', '--no-color', '--no-usage-report'] as const;

/** Runs a bundled script to its end, however long that may take it. */
export async function runK6({ binary, script, args, env, logFile, timeoutMs, onStart, signal }: K6Run): Promise<K6End> {
  const log = createWriteStream(logFile);
  const child = spawn(binary.path, ['run', ...QUIET, ...args, script], {
    env: { ...env, K6_AUTO_EXTENSION_RESOLUTION: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C comes to all processes of a terminal's group. k6 takes a second one for an order to drop everything, so it gets
    // the one that is sent here, and no other.
    detached: signal !== undefined,
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  if (child.pid !== undefined) onStart?.(child.pid);
  let complaint: string | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint ??= COMPLAINT.exec(text)?.[1];
  });
  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGINT');
    killing ??= setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  };
  const ending = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  const code = await new Promise<number | undefined>((resolve) => {
    child.once('error', (error) => {
      complaint ??= error.message;
      resolve(undefined);
    });
    child.once('close', (exitCode) => resolve(exitCode ?? undefined));
  });
  clearTimeout(ending);
  clearTimeout(killing);
  signal?.removeEventListener('abort', end);
  log.end();
  await finished(log);
  return { code, complaint: complaint?.replaceAll('\\"', '"') };
}
