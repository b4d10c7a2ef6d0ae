import { createInterface } from 'node:readline';
import { CliFailure } from './failure.js';
import { safe } from './render/text.js';
import type { Terminal } from './terminal.js';

/** What is about to be destroyed, and what has to be typed so that it is. */
export interface Question {
  /** What the command does, as the end of a sentence: `deletes table "millrace" with all that it holds`. */
  readonly what: string;
  /** The name of what goes: who types it has read it. */
  readonly type: string;
}

/**
 * Asks on a terminal for the name of what is to be destroyed. Where nobody can be asked only `--yes` will do: a script
 * that forgot it must not hang, and must not destroy either.
 */
export async function confirm({ what, type }: Question, yes: boolean, terminal: Terminal): Promise<void> {
  if (yes) return;
  if (terminal.in.isTTY !== true || terminal.err.isTTY !== true) {
    throw new CliFailure('USAGE', `this ${what}, and nobody can be asked here`, 'add --yes if that is what you want');
  }
  terminal.err.write(`This ${safe(what)}.\nType ${safe(type)} to go on: `);
  const typed = await nextLine(terminal.in);
  if (typed?.trim() !== type.trim()) throw new CliFailure('NOT_CONFIRMED', 'not confirmed; nothing was changed');
}

/** The next line that is typed; undefined where the input ends before. */
function nextLine(input: NodeJS.ReadableStream): Promise<string | undefined> {
  const lines = createInterface({ input, terminal: false });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(undefined));
  });
}
