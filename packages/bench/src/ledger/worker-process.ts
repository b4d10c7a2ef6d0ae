import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Run, Task, Worker } from './cell.js';

/** No share takes so long; whoever does hangs. */
const DEADLINE_MS = 300_000;
const COMPLAINT_CHARACTERS = 2_000;

/** Starts a process of its own to work a task off, so that its memory and its CPU are its own. */
export async function startWorkerProcess(task: Task): Promise<Worker> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('worker-main.js', import.meta.url))], {
    stdio: 'pipe',
    env: { ...process.env, NODE_NO_WARNINGS: '1', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint = (complaint + String(text)).slice(-COMPLAINT_CHARACTERS);
  });
  // A write to a process that has just ended must not end this one: its end is what is told.
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const order = async <T>(text: string): Promise<T> => {
    child.stdin.write(`${text}\n`);
    const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    const { value: line, done } = await lines.next().finally(() => clearTimeout(timer));
    if (done !== true) return JSON.parse(line) as T;
    const [code, signal] = await closed;
    throw new Error(`the worker of ${JSON.stringify(task.cell)} ended (${code ?? signal}): ${complaint.trim()}`);
  };
  const { startRssBytes } = await order<Pick<Worker, 'startRssBytes'>>(JSON.stringify(task));
  return {
    startRssBytes,
    run: () => order<Run>('next'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
