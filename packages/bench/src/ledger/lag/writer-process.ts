import { fileURLToPath } from 'node:url';
import { startLineProcess } from '../../processes/line-process.js';
import type { LagTask, Writer, Written } from './writer.js';

/** Ten times as long as the changes take at the pace that is offered. */
const DEADLINE_MS = 200_000;

/** Starts a process of its own that writes, so that the function and who writes do not wait for each other. */
export async function startWriterProcess(task: LagTask): Promise<Writer> {
  const child = startLineProcess({
    program: fileURLToPath(new URL('writer-main.js', import.meta.url)),
    name: 'the writer of changes',
    deadlineMs: DEADLINE_MS,
  });
  await child.order(JSON.stringify(task));
  return { write: () => child.order<Written>('write'), [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
