import { CommanderError } from 'commander';
import { failureJson, failureText, reportOf } from './failure.js';
import { styleFor } from './render/style.js';
import type { Terminal } from './terminal.js';

/**
 * Says on stderr why a command line failed, in the form that it asked for, and gives the code to exit with. `complaint` is what
 * commander said of one that it cannot read: it is shown where errors are for people.
 */
export function tellFailure(error: unknown, args: readonly string[], { err, env }: Terminal, complaint: readonly string[] = []): number {
  const report = reportOf(error);
  const style = styleFor(err, env, !args.includes('--no-color'));
  const { MILLRACE_DEBUG: debug } = env;
  // Not asked of the parsed options: a line that cannot be parsed is among the failures.
  if (options(args).includes('--json')) err.write(failureJson({ ...report, hint: hintIn(complaint) ?? report.hint }));
  else err.write(error instanceof CommanderError ? complaint.join('') : failureText(report, style));
  if (debug === '1' && error instanceof Error) err.write(`${stackOf(error)}\n`);
  return report.exitCode;
}

/** Commander knows which command it could not read, and so whose help to see. */
function hintIn(complaint: readonly string[]): string | undefined {
  return /^hint: (.*)$/m.exec(complaint.join(''))?.[1];
}

/** The arguments before `--`: what follows is never an option. */
function options(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
