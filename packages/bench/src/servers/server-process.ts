import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

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
  const first = await Promise.race([once(lines, 'line'), exited]);
  const port = Number(first[0]);
  if (child.exitCode !== null || !Number.isInteger(port)) throw new Error(`${program} did not start`);
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
