import { readFile } from 'node:fs/promises';

/** What a process has taken so far. */
export interface ProcessUsage {
  /** User and system time of all its threads. */
  readonly cpuMs: number;
  /** The most memory that it had at once. */
  readonly peakMb: number;
}

/** Linux counts CPU in hundredths of a second for whoever asks from outside. */
const TICK_MS = 10;
const LOOK_EVERY_MS = 20;

/** Looks at a process until it is gone; what it took after the last look, a fiftieth of a second, is not in it. */
export function watchProcess(pid: number): () => ProcessUsage {
  let usage: ProcessUsage = { cpuMs: 0, peakMb: 0 };
  const timer = setInterval(() => {
    look(pid).then(
      (seen) => {
        usage = seen;
      },
      () => clearInterval(timer),
    );
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    return usage;
  };
}

async function look(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/status`, 'utf8')]);
  // The name of the program is in brackets, and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const peakKb = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]);
  // It ends as a process without memory.
  if (Number.isNaN(peakKb)) throw new Error(`process ${pid} is gone`);
  return { cpuMs: (user + system) * TICK_MS, peakMb: peakKb / 1_024 };
}
