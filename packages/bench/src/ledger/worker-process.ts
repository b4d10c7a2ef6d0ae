import { fileURLToPath } from 'node:url';
import { startLineProcess } from '../processes/line-process.js';
import type { Run, Task, Worker } from './cell.js';

/** No share takes so long; whoever does hangs. */
const DEADLINE_MS = 300_000;

/** Starts a process of its own to work a task off, so that its memory and its CPU are its own. */
export async function startWorkerProcess(task: Task): Promise<Worker> {
  const child = startLineProcess({
    program: fileURLToPath(new URL('worker-main.js', import.meta.url)),
    name: `the worker of ${JSON.stringify(task.cell)}`,
    deadlineMs: DEADLINE_MS,
  });
  const { startRssBytes } = await child.order<Pick<Worker, 'startRssBytes'>>(JSON.stringify(task));
  return { startRssBytes, run: () => child.order<Run>('next'), [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
