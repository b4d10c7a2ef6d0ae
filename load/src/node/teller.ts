/** Where a command tells how it goes on. */
export interface TellerStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Tells people what is being done. Never on stdout: there is the result, and nothing else. */
export interface Teller {
  /** Something has happened: a line that stays. */
  say(text: string): void;
  /** How far the work has come: on a terminal one line that is written again, elsewhere a line now and then. */
  show(text: string): void;
  /** The work is over: the line goes away. */
  end(): void;
}

const CLEAR_LINE = '\r\u001b[2K';

/** Without a terminal: a run of an hour leaves 360 lines in a log. */
const LINE_EVERY_MS = 10_000;

export function tellerOn(stream: TellerStream, nowMs: () => number = Date.now): Teller {
  return stream.isTTY === true ? onTerminal(stream) : inLines(stream, nowMs);
}

function onTerminal(stream: TellerStream): Teller {
  let shown = '';
  const clear = (): string => (shown === '' ? '' : CLEAR_LINE);
  return {
    say: (text) => void stream.write(`${clear()}${text}\n${shown}`),
    show(text) {
      const line = text.slice(0, (stream.columns || 80) - 1);
      stream.write(`${clear()}${line}`);
      shown = line;
    },
    end() {
      stream.write(clear());
      shown = '';
    },
  };
}

function inLines(stream: TellerStream, nowMs: () => number): Teller {
  let shownAtMs = nowMs();
  return {
    say: (text) => void stream.write(`${text}\n`),
    show(text) {
      if (nowMs() - shownAtMs < LINE_EVERY_MS) return;
      shownAtMs = nowMs();
      stream.write(`${text}\n`);
    },
    end: () => undefined,
  };
}
