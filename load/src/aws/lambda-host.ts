import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { WorkerOrder, WorkerResult } from '../distributed/order.js';
import type { WorkerHost } from '../distributed/worker-host.js';
import { storedResult } from './results-bucket.js';

/** Lambda ends a function after 15 minutes. Two are left for its start, the last requests and the answer. */
const LONGEST_SEC = 13 * 60;

/** A cold start with a program of 46 MB in a layer, with room. */
const LEAD_SEC = 10;

/**
 * Workers that are invocations of one function. The answer comes on the line; where the line broke (a network that
 * forgets idle connections), it is read from the results bucket.
 */
export function lambdaHost(functionName: string): WorkerHost {
  const client = new LambdaClient({
    // Asking again would start a second worker on the same share.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 16 * 60_000, socketTimeout: 16 * 60_000 },
  });
  return {
    name: 'lambda',
    leadSec: LEAD_SEC,
    longestSec: LONGEST_SEC,
    run: (order, signal) => invoke(client, functionName, order, signal),
  };
}

async function invoke(client: LambdaClient, functionName: string, order: WorkerOrder, signal: AbortSignal): Promise<WorkerResult> {
  const command = new InvokeCommand({ FunctionName: functionName, Payload: new TextEncoder().encode(JSON.stringify(order)) });
  try {
    const { Payload, FunctionError } = await client.send(command, { abortSignal: signal });
    const text = new TextDecoder().decode(Payload);
    if (FunctionError !== undefined) throw new WorkerFailed(`function ${functionName}: ${FunctionError}: ${text}`);
    return JSON.parse(text) as WorkerResult;
  } catch (error) {
    if (error instanceof WorkerFailed || signal.aborted || order.results === undefined) throw error;
    return storedResult(order).catch(() => {
      throw error;
    });
  }
}

class WorkerFailed extends Error {}
