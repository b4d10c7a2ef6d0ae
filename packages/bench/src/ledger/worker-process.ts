import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Task, WorkerReport } from './cell.js';

/** No share takes so long; whoever does hangs. */
const DEADLINE_MS = 600_000;

/** Has a process of its own work a task off, so that its memory and its CPU are its own. */
export async function inProcess(task: Task): Promise<WorkerReport> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('worker-main.js', import.meta.url))], {
    stdio: 'pipe',
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, NODE_NO_WARNINGS: '1', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  // A process that ends before it has read its task says why on its errors' output.
  child.stdin.on('error', () => undefined).end(JSON.stringify(task));
  const [output, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`the worker of ${JSON.stringify(task.cell)} failed (${code}): ${complaint.trim().slice(-2_000)}`);
  return JSON.parse(output) as WorkerReport;
}
