import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** How long a server may take to say its port. */
const START_TIMEOUT_MS = 30_000;

/** A server of ours in a process of its own; it says its port on its first line. */
export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
}

/** Starts one of the programs of this folder. */
export async function startServer(program: 'delay-proxy-main.js' | 'stub-main.js', args: readonly string[]): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const started = once(lines, 'line', { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  // Whoever loses the race must not fail later, when nobody listens.
  started.catch(() => undefined);
  const first = await Promise.race([started, exited]).catch(() => []);
  const port = Number(first[0]);
  if (child.exitCode !== null || !(port > 0)) {
    child.kill('SIGKILL');
    throw new Error(`${program} did not start`);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
