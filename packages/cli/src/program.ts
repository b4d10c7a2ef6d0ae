import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addCommands } from './commands/index.js';
import { EXIT } from './exit-codes.js';
import { addGlobals } from './globals.js';
import { runLoad } from './load-program.js';
import type { Cli } from './session.js';
import { tellFailure } from './tell-failure.js';
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
    return tellFailure(error, args, terminal, complaint);
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

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return text;
}
