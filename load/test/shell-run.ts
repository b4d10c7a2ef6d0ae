import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/src/node/main.js', import.meta.url));

/** What a run of the built program left. */
export interface ShellRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of the built program that goes on. */
export interface ShellChild {
  readonly child: ChildProcess;
  readonly ended: Promise<ShellRun>;
  /** Resolves when it has said this on stderr; rejects when it ends before. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts `load <args>` as a shell does: what is tested are processes, signals and exit codes. */
export function startLoad(args: readonly string[], env: NodeJS.ProcessEnv = process.env): ShellChild {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is not there: run "pnpm build" first, since these tests run what was built`);
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  const listeners = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const listener of listeners) listener();
  });
  const ended = new Promise<ShellRun>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(stderr);
          if (found === null) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        void ended.then(({ code }) => reject(new Error(`it ended with ${code} and never said ${pattern}:\n${stderr}`)));
      }),
  };
}

/** Runs it to its end. */
export function runLoad(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<ShellRun> {
  return startLoad(args, env).ended;
}
