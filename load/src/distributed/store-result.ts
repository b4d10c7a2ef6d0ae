import type { WorkerOrder, WorkerResult } from './order.js';

/** Puts an object where the coordinator looks for it. */
export type PutObject = (bucket: string, key: string, body: string) => Promise<void>;

/**
 * Writes a worker's answer to the results bucket, when the order names one. A bucket that refuses takes nothing away
 * from a worker that is also heard on the line: its answer says so and is otherwise what it was.
 */
export async function storeResult(order: WorkerOrder, result: WorkerResult, put: PutObject): Promise<WorkerResult> {
  if (order.results === undefined) return result;
  try {
    await put(order.results.bucket, order.results.key, JSON.stringify(result));
    return result;
  } catch (error) {
    const why = `results bucket ${order.results.bucket} refused ${order.results.key}: ${error instanceof Error ? error.message : String(error)}`;
    return { ...result, notStored: why };
  }
}
