import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../src/node/bundle.js';
import { findK6, type K6Binary, NoK6 } from '../src/node/k6-binary.js';
import { type K6End, runK6 } from '../src/node/k6-process.js';

/** The k6 of this machine, built if there is Go; or why there is none, said once beside the skipped tests. */
export async function realK6(): Promise<K6Binary | undefined> {
  try {
    return await findK6(process.env, (text) => void process.stderr.write(`${text}\n`));
  } catch (error) {
    if (!(error instanceof NoK6)) throw error;
    process.stderr.write(`skipped: what needs a real k6, as there is ${error.message}\n`);
    return undefined;
  }
}

/** What a script gave back. */
export interface Answered<T> {
  readonly end: K6End;
  readonly answer: T;
  readonly log: string;
}

/**
 * Runs a module in a real k6, once. It is given the body of a function of `given` that returns what JSON can say, and what
 * it imports; the function runs as any turn's code does.
 */
export async function inK6<T>(
  binary: K6Binary,
  script: { name: string; imports: string; given?: unknown; body: string },
): Promise<Answered<T>> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-k6-'));
  const answerFile = join(folder, 'answer.json');
  try {
    const file = await bundle(
      script.name,
      `${script.imports}
       const given = ${JSON.stringify(script.given ?? null)};
       // As text: k6 hands values on through Go, where what is undefined becomes null.
       export function setup() { return JSON.stringify((() => { ${script.body} })()) ?? 'null'; }
       export default function () {}
       export const handleSummary = (summary) => ({ [__ENV.ANSWER]: summary.setup_data ?? 'null' });`,
    );
    const logFile = join(folder, 'k6.log');
    const end = await runK6({
      binary,
      script: file,
      args: ['--iterations', '1', '--vus', '1'],
      env: { ...process.env, ANSWER: answerFile },
      logFile,
      timeoutMs: 120_000,
    });
    const log = await readFile(logFile, 'utf8');
    return { end, log, answer: JSON.parse(await readFile(answerFile, 'utf8').catch(() => 'null')) as T };
  } finally {
    await rm(folder, { recursive: true });
  }
}
