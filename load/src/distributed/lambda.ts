import { fileURLToPath } from 'node:url';
import { s3Put } from '../aws/results-bucket.js';
import type { WorkerOrder, WorkerResult } from './order.js';
import { runWorker } from './run-worker.js';
import { storeResult } from './store-result.js';
import { placeOf } from './worker-place.js';

/** What is used of Lambda's context. */
interface Context {
  getRemainingTimeInMillis(): number;
}

/** Kept of the function's time for the answer. */
const RESERVE_MS = 10_000;

/** The worker as a Lambda function: the order is its event, the answer its response. */
export async function handler(order: WorkerOrder, context: Context): Promise<WorkerResult> {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), context.getRemainingTimeInMillis() - RESERVE_MS);
  const folder = fileURLToPath(new URL('scenarios', import.meta.url));
  try {
    // k6 is a layer's, at the path where layers' programs are.
    const environment = { K6_BIN: '/opt/bin/k6', ...process.env };
    return await storeResult(order, await runWorker(order, placeOf(environment, folder, ended.signal)), s3Put);
  } finally {
    clearTimeout(timer);
  }
}
