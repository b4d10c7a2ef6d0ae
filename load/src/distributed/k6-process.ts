import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { lineOf, type Point } from './points.js';
import { Tally } from './tally.js';

/** How a k6 process ended. */
export interface K6Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A k6 that runs, its points folded as they come. */
export interface K6Process {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined;
  readonly tally: Tally;
  /** Lines that were not understood. */
  readonly droppedLines: () => number;
  /** The last lines of its log. */
  readonly logTail: () => string;
  /** Resolves when it has ended and its last line is folded. Rejects when it could not be started. */
  readonly ended: Promise<K6Exit>;
  /** Ends it at once. Its numbers up to now stay. */
  kill(): void;
}

interface K6Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly onPoint?: ((point: Point) => void) | undefined;
}

const LOG_LINES = 20;

/**
 * Starts k6 with its points on its standard output, which costs no file and works where nothing can be written.
 * What it prints of thresholds and summaries is off: a worker sees only its share.
 */
export function startK6(k6: string, args: readonly string[], { environment, onPoint }: K6Surroundings): K6Process {
  const quiet = ['--quiet', '--no-color', '--no-usage-report', '--summary-mode=disabled', '--no-thresholds'];
  const child = spawn(k6, ['run', ...quiet, '--system-tags=', '--out', 'json=-', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, K6_AUTO_EXTENSION_RESOLUTION: 'false' },
  });
  const tally = new Tally();
  const log: string[] = [];
  let dropped = 0;
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = lineOf(text);
    if (line === undefined) dropped++;
    else if ('series' in line) tally.announce(line.series);
    else {
      tally.fold(line.point);
      onPoint?.(line.point);
    }
  });
  createInterface({ input: child.stderr }).on('line', (text) => {
    log.push(text);
    if (log.length > LOG_LINES) log.shift();
  });
  const ended = new Promise<K6Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  // Whoever waits hears of it; who does not must not be ended by it.
  ended.catch(() => undefined);
  return {
    pid: child.pid,
    tally,
    droppedLines: () => dropped,
    logTail: () => log.join('\n'),
    ended,
    kill: () => void child.kill('SIGKILL'),
  };
}
