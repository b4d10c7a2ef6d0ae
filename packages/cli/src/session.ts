import type { Command } from 'commander';
import { confirm, type Question } from './confirm.js';
import { EXIT } from './exit-codes.js';
import { type Globals, globalsOf } from './globals.js';
import { jsonText } from './render/json.js';
import { NO_PROGRESS, type Progress, progressOn } from './render/progress.js';
import { type Style, styleFor } from './render/style.js';
import type { Terminal } from './terminal.js';

/** What a command answers: the same facts for programs and for people. */
export interface Answer {
  readonly json: unknown;
  text(style: Style): string;
  /** For people, on stderr: where a listing goes on. */
  readonly note?: string;
  /** @default 0 */
  readonly exitCode?: number;
}

/** What a running command works with. */
export interface Session {
  readonly globals: Globals;
  readonly env: NodeJS.ProcessEnv;
  readonly input: NodeJS.ReadableStream;
  /** Shows on stderr how far long work has come; nothing with `--json`, where stderr is for errors, unless somebody watches. */
  progress(what: string): Progress;
  /** Returns if what is to be destroyed may be. */
  confirm(question: Question): Promise<void>;
}

/** How a program of this process ends, and where it writes. */
export interface Cli {
  readonly terminal: Terminal;
  exitCode: number;
}

const GLOBALS_HELP = `
Options of all commands, explained by millrace --help:
  --table --namespace --endpoint --region --actor --json --yes --no-color`;

/** Adds a command: its name with arguments, what it does, and one example of it. */
export function addCommand(parent: Command, name: string, does: string, example: string): Command {
  const command = parent.command(name).description(does).addHelpText('after', `${GLOBALS_HELP}\n\nExample:\n  $ ${example}`);
  return command.showHelpAfterError(`hint: see millrace ${pathOf(command)} --help`);
}

/** Adds a word that only has commands below it. */
export function addGroup(parent: Command, name: string, does: string): Command {
  const group = parent.command(name).description(does).helpCommand(false).addHelpText('after', GLOBALS_HELP);
  return group.showHelpAfterError(`hint: see millrace ${pathOf(group)} --help`);
}

function pathOf(command: Command): string {
  const above = command.parent;
  return above === null || above.parent === null ? command.name() : `${pathOf(above)} ${command.name()}`;
}

/** Makes what commander calls of what a command does: it is given a session, its arguments and its options. */
export function answering<A extends readonly unknown[]>(cli: Cli, work: (session: Session, ...args: A) => Promise<Answer>) {
  return async (...all: readonly unknown[]): Promise<void> => {
    const command = all.at(-1) as Command;
    const session = sessionOf(cli.terminal, globalsOf(command.optsWithGlobals(), cli.terminal.env));
    write(cli, session.globals, await work(session, ...(all.slice(0, -1) as unknown as A)));
  };
}

function sessionOf(terminal: Terminal, globals: Globals): Session {
  return {
    globals,
    env: terminal.env,
    input: terminal.in,
    progress: (what) => (globals.json && terminal.err.isTTY !== true ? NO_PROGRESS : progressOn(terminal.err, what)),
    confirm: (question) => confirm(question, globals.yes, terminal),
  };
}

function write(cli: Cli, { json, color }: Globals, answer: Answer): void {
  const { out, err, env } = cli.terminal;
  if (json) out.write(jsonText(answer.json));
  else {
    out.write(answer.text(styleFor(out, env, color)));
    if (answer.note !== undefined) err.write(`${styleFor(err, env, color).dim(answer.note)}\n`);
  }
  cli.exitCode = answer.exitCode ?? EXIT.ok;
}
