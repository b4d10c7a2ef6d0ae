import type { Terminal } from './bench.js';

/** Says on stderr how far a bench is. */
export interface Progress {
  /** What is being done now. */
  say(text: string): void;
  /** One of the steps is done. */
  step(): void;
  /** The line on a terminal goes away. */
  end(): void;
}

const CLEAR_LINE = '\r\u001b[2K';

/** One line that is written again on a terminal; elsewhere one line for each thing that is said, and none for steps. */
export function progressOn(stream: Terminal['stderr'], steps: number): Progress {
  let [done, said] = [0, ''];
  if (stream.isTTY !== true) return { say: (text) => void stream.write(`${text}\n`), step: () => undefined, end: () => undefined };
  const show = (): void => void stream.write(CLEAR_LINE + `${done}/${steps} ${said}`.slice(0, (stream.columns || 80) - 1));
  return {
    say(text) {
      said = text;
      show();
    },
    step() {
      done += 1;
      show();
    },
    end: () => void stream.write(CLEAR_LINE),
  };
}
