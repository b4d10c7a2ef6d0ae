import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addCommands } from './commands/index.js';
import { EXIT } from './exit-codes.js';
import { failureJson, failureText, reportOf } from './failure.js';
import { addGlobals } from './globals.js';
import { runLoad } from './load-program.js';
import { styleFor } from './render/style.js';
import type { Cli } from './session.js';
import type { Terminal } from './terminal.js';

/** Runs one command line, without the program's own name, and gives the code to exit with. It throws nothing. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const cli: Cli = { terminal, exitCode: EXIT.ok };
  /** What commander says of a command line that it cannot read: shown only where errors are for people. */
  const complaint: string[] = [];
  const program = programFor(cli, complaint);
  try {
    const [first, ...words] = args;
    if (first === 'load') return await runLoad(words, terminal);
    await program.parseAsync([...args], { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    return fail(error, complaint, args, terminal);
  }
}

function programFor(cli: Cli, complaint: string[]): Command {
  const program = new Command('millrace')
    .description('Limits, entities and namespaces of a Millrace table; nothing is created that the command does not name.')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .configureOutput({ writeOut: (text) => void cli.terminal.out.write(text), writeErr: (text) => void complaint.push(text) })
    .showHelpAfterError('hint: see millrace --help')
    .addHelpText('after', '\nExample:\n  $ millrace --table millrace explain key-1 gpt-4\n\nExit codes: millrace help exit-codes')
    .exitOverride();
  addGlobals(program);
  addCommands(program, cli);
  return program;
}

function fail(error: unknown, complaint: readonly string[], args: readonly string[], { err, env }: Terminal): number {
  const report = reportOf(error);
  const style = styleFor(err, env, !args.includes('--no-color'));
  const { MILLRACE_DEBUG: debug } = env;
  // Not asked of the parsed options: a line that cannot be parsed is among the failures.
  if (options(args).includes('--json')) err.write(failureJson(report));
  else err.write(error instanceof CommanderError ? complaint.join('') : failureText(report, style));
  if (debug === '1' && error instanceof Error) err.write(`${stackOf(error)}\n`);
  return report.exitCode;
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

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return text;
}
