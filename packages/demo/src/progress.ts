import type { Style } from './style.js';

/** What a stream must have for progress to be written on it. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Tells what happens while it happens. */
export interface Progress {
  /** A line that stays. */
  say(line: string): void;
  /** Where things stand, until it is disposed of; asked for a few times a second at most. */
  watch(status: () => string): Disposable;
}

const TERMINAL_EVERY_MS = 200;
const PLAIN_EVERY_MS = 2_000;
const CLEAR_LINE = '\r\u001b[2K';

/** One line that is written again and again on a terminal; a line every two seconds elsewhere. */
export function progressOn(stream: ProgressStream, style: Style): Progress {
  const isTerminal = stream.isTTY === true;
  return {
    say: (line) => void stream.write(`${line}\n`),
    watch(status) {
      const show = (): void => {
        const line = status();
        if (isTerminal) stream.write(`${CLEAR_LINE}${style.dim(line.slice(0, (stream.columns ?? 80) - 1))}`);
        else stream.write(`${line}\n`);
      };
      const timer = setInterval(show, isTerminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS);
      return {
        [Symbol.dispose]() {
          clearInterval(timer);
          if (isTerminal) stream.write(CLEAR_LINE);
        },
      };
    },
  };
}
