import { readFile } from 'node:fs/promises';
import { ask } from './shell.js';

/**
 * When a process was started, in the system's own words: numbers of processes are used again, and the number together with
 * this is one process only. Undefined where there is no such process.
 */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // A zombie has ended; it only waits to be asked how.
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  const { code, stdout } = await ask('ps', ['-o', 'lstart=', '-p', `${pid}`], { timeoutMs: 5_000 });
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}
