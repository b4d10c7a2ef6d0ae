import { figure } from './figures.js';

/** What a stream must have for progress to be written on it. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Tells how far long work has come. */
export interface Progress {
  /** How much is done, and of how much where that is known. Called as often as the work likes; nothing shows where nothing is to be done. */
  step(done: number, total?: number): void;
  /** The work is over: the line on a terminal goes away, so that only the result stays. */
  end(): void;
}

export const NO_PROGRESS: Progress = { step: () => undefined, end: () => undefined };

const CLEAR_LINE = '\r\u001b[2K';
const TERMINAL_EVERY_MS = 100;
/** Without a terminal: a line for each tenth of the work; where nobody knows how much it is, for each so many, so that little work shows none. */
const TENTHS = 10;
const UNKNOWN_EVERY = 500;

/** Progress of one piece of work, on stderr: one line that is written again on a terminal, a line at every tenth elsewhere. */
export function progressOn(stream: ProgressStream, what: string, nowMs: () => number = Date.now): Progress {
  return stream.isTTY === true ? onTerminal(stream, what, nowMs) : inLines(stream, what);
}

function onTerminal(stream: ProgressStream, what: string, nowMs: () => number): Progress {
  let shownAtMs = Number.NEGATIVE_INFINITY;
  return {
    step(done, total) {
      if (total === 0 || (nowMs() - shownAtMs < TERMINAL_EVERY_MS && done !== total)) return;
      shownAtMs = nowMs();
      stream.write(CLEAR_LINE + line(what, done, total).slice(0, (stream.columns || 80) - 1));
    },
    end: () => void stream.write(CLEAR_LINE),
  };
}

function inLines(stream: ProgressStream, what: string): Progress {
  let shown = -1;
  return {
    step(done, total) {
      if (total === 0) return;
      const mark = total === undefined ? Math.floor(done / UNKNOWN_EVERY) : Math.floor((done * TENTHS) / total);
      if (mark === shown || (total === undefined && mark === 0)) return;
      shown = mark;
      stream.write(`${line(what, done, total)}\n`);
    },
    end: () => undefined,
  };
}

function line(what: string, done: number, total: number | undefined): string {
  return total === undefined ? `${what}: ${figure(done)}` : `${what}: ${figure(done)} of ${figure(total)}`;
}
