import { fileURLToPath } from 'node:url';
import { s3Put } from '../aws/results-bucket.js';
import { LiveCount } from './live-count.js';
import type { WorkerMessage, WorkerOrder, WorkerResult } from './order.js';
import type { Point } from './points.js';
import { runWorker } from './run-worker.js';
import { storeResult } from './store-result.js';
import { placeOf } from './worker-place.js';

const TELL_EVERY_MS = 1_000;

// The worker as a process: a child of the coordinator, which sends the order, or a container, whose environment holds it.
const ended = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended.abort());

if (process.send !== undefined) {
  // A coordinator that is gone hears nobody: its workers must not go on loading.
  process.once('disconnect', () => ended.abort());
  process.once('message', (order) => {
    const live = new LiveCount();
    const telling = setInterval(() => tell({ live: live.now() }), TELL_EVERY_MS);
    void work(order as WorkerOrder, (point) => live.take(point)).then((result) => {
      clearInterval(telling);
      tell({ result }, () => process.connected && process.disconnect());
    });
  });
} else {
  const text = process.env['MILLRACE_ORDER'];
  if (text === undefined) throw new Error('MILLRACE_ORDER: expected the order as JSON, got nothing; the coordinator sets it for each task');
  const result = await work(JSON.parse(text) as WorkerOrder);
  process.stdout.write(`${JSON.stringify({ ...result, series: undefined })}\n`);
  process.exitCode = result.outcome === 'finished' && result.notStored === undefined ? 0 : 1;
}

function tell(message: WorkerMessage, then: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, then);
}

async function work(order: WorkerOrder, onPoint?: (point: Point) => void): Promise<WorkerResult> {
  const folder = fileURLToPath(new URL('../scenarios', import.meta.url));
  const place = { ...placeOf(process.env, folder, ended.signal), ...(onPoint === undefined ? {} : { onPoint }) };
  return storeResult(order, await runWorker(order, place), s3Put);
}
