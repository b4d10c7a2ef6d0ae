import { fileURLToPath } from 'node:url';
import { s3Put } from '../aws/results-bucket.js';
import type { WorkerOrder, WorkerResult } from './order.js';
import { runWorker } from './run-worker.js';
import { storeResult } from './store-result.js';
import { placeOf } from './worker-place.js';

// The worker as a process: a child of the coordinator, which sends the order, or a container, whose environment holds it.
const ended = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended.abort());

if (process.send !== undefined) {
  process.once('message', (order) => void work(order as WorkerOrder).then((result) => process.send?.(result, () => process.disconnect())));
} else {
  const text = process.env['MILLRACE_ORDER'];
  if (text === undefined) throw new Error('MILLRACE_ORDER: expected the order as JSON, got nothing; the coordinator sets it for each task');
  const result = await work(JSON.parse(text) as WorkerOrder);
  process.stdout.write(`${JSON.stringify({ ...result, series: undefined })}\n`);
  process.exitCode = result.outcome === 'finished' && result.notStored === undefined ? 0 : 1;
}

async function work(order: WorkerOrder): Promise<WorkerResult> {
  const folder = fileURLToPath(new URL('../scenarios', import.meta.url));
  return storeResult(order, await runWorker(order, placeOf(process.env, folder, ended.signal)), s3Put);
}
