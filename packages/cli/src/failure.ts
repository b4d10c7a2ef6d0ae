import { type ErrorCode, isMillraceError } from '@millrace/core';
import { CommanderError } from 'commander';
import { inCliWords, unansweredPlace } from './cli-words.js';
import { EXIT } from './exit-codes.js';
import { jsonText } from './render/json.js';
import type { Style } from './render/style.js';
import { safe } from './render/text.js';

/** What the command line itself refuses, or cannot do. Errors of the limiter stay what they are. */
export class CliFailure extends Error {
  readonly code: 'USAGE' | 'NOT_CONFIRMED' | 'FILE' | 'OUTPUT' | 'INTERRUPTED';
  readonly hint: string | undefined;

  constructor(code: CliFailure['code'], message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  TABLE_NOT_FOUND: 'check --table, --region and --endpoint; the construct makes a table, or "millrace table create" for development',
  TABLE_UNUSABLE: '"millrace doctor" looks at the table piece by piece',
  NAMESPACE_NOT_FOUND: '"millrace namespace list" shows those there are, "millrace namespace register" makes one',
  NAMESPACE_STATE: '"millrace namespace list" shows the state of each',
  CREDENTIALS: 'set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (a local engine takes any)',
  ACCESS_DENIED: 'the role needs the actions of grantAdmin, or of grantAcquire for acquire',
  UNAVAILABLE: 'check --endpoint and --region; "millrace doctor" says what answers and what does not',
  ENTITY_NOT_FOUND: '"millrace entity list" shows those there are',
  ENTITY_HAS_CHILDREN: 'move them elsewhere, or delete them too with --children',
  CONFLICT: 'wait until the other one has ended, or, if it is known to be dead, use --take-over',
  ENTITY_DISABLED: '"millrace entity enable" lets it acquire again',
  NOT_SEALED: '"millrace usage seal" seals a window that is over',
  SCHEMA_VERSION: '"millrace table status" shows the version of the table, "millrace --version" that of this program',
};

/** What to do about an argument, by what the SDK calls it. */
const ARGUMENT_HINTS: readonly (readonly [RegExp, string])[] = [
  [/^option "region"$/, 'give --region <name>, or set AWS_REGION or AWS_PROFILE'],
  [/^limits of ".*" on ".*"$/s, '"millrace resource limits set" stores limits for everybody; --limit rpm:500/min gives them for this call'],
];

/** What is to be said of anything thrown, and how the program ends. */
export interface FailureReport {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  /** What else the error holds: the bound that was broken, the statuses of a refusal. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Tells what an error means to the shell and to whoever reads it. */
export function reportOf(error: unknown): FailureReport {
  if (error instanceof CliFailure) {
    return { exitCode: EXIT_OF[error.code], code: error.code, message: error.message, hint: error.hint, data: {} };
  }
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
    return { exitCode: EXIT.usage, code: 'USAGE', message, hint: 'see millrace --help', data: {} };
  }
  if (isMillraceError(error)) return reportOfMillrace(error);
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.failed, code: 'UNEXPECTED', message, hint: 'MILLRACE_DEBUG=1 shows where it came from', data: {} };
}

const EXIT_OF: Readonly<Record<CliFailure['code'], number>> = {
  USAGE: EXIT.usage,
  NOT_CONFIRMED: EXIT.failed,
  FILE: EXIT.usage,
  OUTPUT: EXIT.failed,
  INTERRUPTED: EXIT.interrupted,
};

function reportOfMillrace(error: Error & { readonly code: ErrorCode }): FailureReport {
  const { code } = error;
  const data = dataOf(error);
  const place = code === 'UNAVAILABLE' ? unansweredPlace(error) : undefined;
  const message = place ?? inCliWords(error.message);
  const exitCode = code === 'VALIDATION' ? EXIT.usage : code === 'RATE_LIMIT_EXCEEDED' ? EXIT.refused : EXIT.failed;
  const worded = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, WORDED.has(key) && typeof value === 'string' ? inCliWords(value) : value]),
  );
  return { exitCode, code, message, hint: code === 'VALIDATION' ? argumentHint(data) : HINTS[code], data: worded };
}

/** The parts that a message is made of. */
const WORDED: ReadonlySet<string> = new Set(['subject', 'expected']);

function argumentHint({ subject, value }: Readonly<Record<string, unknown>>): string | undefined {
  if (value !== undefined || typeof subject !== 'string') return undefined;
  return ARGUMENT_HINTS.find(([about]) => about.test(subject))?.[1];
}

/** What an error says beside its message: its fields but for those that all have, and its `data`, as if those were fields, too. */
function dataOf(error: Error & { readonly data?: unknown }): Readonly<Record<string, unknown>> {
  const known = new Set(['name', 'code', 'message', 'stack', 'cause', 'data']);
  const fields = Object.entries(error).filter(([key]) => !known.has(key));
  const data = typeof error.data === 'object' && error.data !== null ? Object.entries(error.data) : [];
  return Object.fromEntries([...data.filter(([key]) => !known.has(key)), ...fields]);
}

/** The failure for people: what is wrong, then what to do. */
export function failureText({ message, hint }: FailureReport, style: Style): string {
  const lines = message.split('\n').map(safe).join('\n');
  return `${style.bad('error:')} ${lines}\n${hint === undefined ? '' : `${style.dim('hint:')} ${hint}\n`}`;
}

/** The failure for programs. */
export function failureJson({ code, message, hint, data }: FailureReport): string {
  return jsonText({ error: { code, message, ...(hint === undefined ? {} : { hint }), ...data } });
}
