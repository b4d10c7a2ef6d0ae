import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { supervisorSource } from './supervisor-source.js';

/** A program and all that it is started with. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** A program that runs in an empty folder of its own, and that ends when this process does. */
export interface SupervisedProcess {
  /** The supervisor's id, which is also the id of the process group; undefined when it could not be started. */
  readonly pid: number | undefined;
  readonly folder: string;
  /** Settles when program and folder are gone; never rejects. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** The end of what the program wrote to stderr. */
  stderrTail(): string;
  /** Lets this process end while the program still runs. */
  unref(): void;
  close(): Promise<void>;
}

const tailLength = 8_000;

/** Starts `program` under a supervisor that outlives us just long enough to end it. */
export function superviseProcess(program: Program): SupervisedProcess {
  const folder = join(tmpdir(), `millrace-engine-${randomUUID()}`);
  // Detached: Ctrl-C, and a kill of our whole group, reach us alone, so the supervisor is left to clean up.
  const supervisor = spawn(process.execPath, ['-e', supervisorSource, '--', folder, program.command, ...program.args], {
    cwd: tmpdir(),
    env: program.env,
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });

  let tail = '';
  const append = (text: string): void => {
    tail = (tail + text).slice(-tailLength);
  };
  supervisor.stderr.setEncoding('utf8').on('data', append);
  // Writing to a supervisor that has just ended is no news: `ended` tells it.
  supervisor.stdin.on('error', () => undefined);
  supervisor.on('error', (error) => append(error.message));

  // If somebody kills the supervisor, the engine is alone in its group and would keep our stderr pipe open.
  supervisor.on('exit', (_code, signal) => {
    if (signal !== null) killGroup(supervisor.pid);
  });

  let over = false;
  const ended = new Promise<void>((resolve) => supervisor.once('close', () => resolve()))
    .then(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
    .catch((error: unknown) => append(String(error)))
    .then(() => {
      over = true;
    });

  const pipes = [supervisor.stdin, supervisor.stderr].filter((stream) => stream instanceof Socket);
  return {
    pid: supervisor.pid,
    folder,
    ended,
    hasEnded: () => over,
    stderrTail: () => tail.trim(),
    unref() {
      supervisor.unref();
      for (const pipe of pipes) pipe.unref();
    },
    close() {
      supervisor.ref();
      for (const pipe of pipes) pipe.ref();
      supervisor.stdin.end();
      return ended;
    },
  };
}

function killGroup(groupId: number | undefined): void {
  if (groupId === undefined || process.platform === 'win32') return;
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}
