import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type LocalEngine, launchEngine } from '@millrace/testing';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** What a run of the program left. */
export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** What it printed with `--json`. */
  readonly json: never;
  /** The error that it printed with `--json`. */
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string; readonly [key: string]: unknown };
}

/** What a run may be given beside its arguments. */
export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told of the process while it runs. */
  readonly onStart?: (child: ReturnType<typeof spawn>) => void;
}

/** The built program, as a user runs it, against a table of a test's own. */
export interface CommandLine {
  readonly engine: LocalEngine;
  readonly table: string;
  /** Runs `millrace <words>`; words are split at spaces, arrays are taken as they are. */
  millrace(words: string | readonly string[], options?: RunOptions): Promise<Run>;
  /** The same with `--json`: the document, of a run that must succeed. */
  answer(words: string | readonly string[], options?: RunOptions): Promise<never>;
  close(): Promise<void>;
}

/** Starts an engine, and has the program create its table there unless told not to. */
export async function openCommandLine({ withTable = true } = {}): Promise<CommandLine> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is not there: run "pnpm build" first, since these tests run what was built`);
  const engine = await launchEngine();
  const table = `millrace-cli-${randomUUID()}`;
  const env = {
    // Only what a shell would have: nothing of whoever runs the tests may decide how they end.
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    USER: 'tester',
    AWS_ACCESS_KEY_ID: engine.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: engine.credentials.secretAccessKey,
    AWS_REGION: engine.region,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    MILLRACE_TABLE: table,
    MILLRACE_ACTOR: 'tester',
  };
  const millrace = (words: string | readonly string[], options: RunOptions = {}): Promise<Run> =>
    run(typeof words === 'string' ? words.split(' ') : words, { ...options, env: { ...env, ...options.env } });
  const commandLine: CommandLine = {
    engine,
    table,
    millrace,
    async answer(words, options) {
      const done = await millrace([...(typeof words === 'string' ? words.split(' ') : words), '--json'], options);
      if (done.code !== 0 || done.err !== '') throw new Error(`"${words}" ended with ${done.code}: ${done.err}`);
      return done.json;
    },
    close: () => engine.close(),
  };
  if (withTable) await commandLine.answer('table create');
  return commandLine;
}

async function run(args: readonly string[], { stdin, env, onStart }: RunOptions): Promise<Run> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: env as NodeJS.ProcessEnv, stdio: ['pipe', 'pipe', 'pipe'] });
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin ?? '');
  onStart?.(child);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const texts = { code, out: await out, err: await err };
  return {
    ...texts,
    get json(): never {
      return parsed(texts.out) as never;
    },
    get error() {
      return (parsed(texts.err) as { error: Run['error'] })?.error;
    },
  };
}

/** Undefined for what is no JSON: a failed assertion shows these, too, and must show the rest. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

/** A text with every time and every id of a namespace replaced by others of the same length, so that columns stay where they are. */
export function steady(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '2000-01-01T00:00:00Z').replace(/\b[0-9a-f]{12}\b/g, '0123456789ab');
}

/** Lines as they are printed. */
export function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
