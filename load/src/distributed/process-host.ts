import { fork } from 'node:child_process';
import type { WorkerMessage, WorkerOrder, WorkerResult } from './order.js';
import type { WorkerHost, WorkerWatch } from './worker-host.js';

/**
 * Workers that are processes of this machine, each with the very wrapper that Lambda and Fargate run.
 *
 * @param entry The wrapper's compiled file.
 */
export function processHost(entry: string, environment: NodeJS.ProcessEnv, execArgv: readonly string[] = []): WorkerHost {
  return {
    name: 'local',
    leadSec: 3,
    run: (order, signal, watch) => runChild({ entry, environment, execArgv }, order, signal, watch),
  };
}

interface Program {
  readonly entry: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly execArgv: readonly string[];
}

function runChild(
  { entry, environment, execArgv }: Program,
  order: WorkerOrder,
  signal: AbortSignal,
  watch: WorkerWatch | undefined,
): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    const child = fork(entry, [], { env: environment, execArgv: [...execArgv], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const stop = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    if (child.pid !== undefined) watch?.started(child.pid);
    let result: WorkerResult | undefined;
    child.on('message', (message: WorkerMessage) => {
      if ('live' in message) watch?.heard(message.live);
      else result = message.result;
    });
    child.once('error', reject);
    child.once('exit', (code, how) => {
      signal.removeEventListener('abort', stop);
      if (result !== undefined) resolve(result);
      else
        reject(new Error(`worker ${order.worker} ${how === null ? `ended with code ${code}` : `was ended by ${how}`} without an answer`));
    });
    child.send(order);
  });
}
