import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** What a process has taken so far. */
export interface ProcessUsage {
  /** User and system time of all its threads. */
  readonly cpuMs: number;
  /** The most memory that it had at once. */
  readonly peakMb: number;
  /** Of one core, between the first look and the last; undefined where there were not two. */
  readonly cpuPercent: number | undefined;
}

/** What one look at a process sees. */
interface Look {
  readonly atMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Linux counts CPU in hundredths of a second for whoever asks from outside. */
const TICK_MS = 10;

/** How often a process is looked at where nobody says: its share of a core over a run needs no more. */
const LOOK_EVERY_MS = 500;

/**
 * Looks at a process until it is gone; what it took after the last look is not in it. Where there is no `/proc`, `ps` is
 * asked, and where that is not either, nothing is known.
 *
 * @param everyMs How long from one look to the next. Each costs about 0.1 ms, and a process of its own where `ps` is asked.
 */
export function watchProcess(pid: number, everyMs = LOOK_EVERY_MS): () => ProcessUsage | undefined {
  let first: Look | undefined;
  let last: Look | undefined;
  const once = (): void =>
    void look(pid).then(
      (seen) => {
        first ??= seen;
        last = { ...seen, peakMb: Math.max(seen.peakMb, last?.peakMb ?? 0) };
      },
      () => clearInterval(timer),
    );
  const timer = setInterval(once, process.platform === 'linux' ? everyMs : Math.max(everyMs, 1_000));
  timer.unref();
  once();
  return () => {
    clearInterval(timer);
    return first === undefined || last === undefined ? undefined : usageBetween(first, last);
  };
}

/** What two looks say together. */
export function usageBetween(first: Look, last: Look): ProcessUsage {
  const wallMs = last.atMs - first.atMs;
  const cpuPercent = wallMs > 0 ? (100 * (last.cpuMs - first.cpuMs)) / wallMs : undefined;
  return { cpuMs: last.cpuMs, peakMb: last.peakMb, cpuPercent };
}

async function look(pid: number): Promise<Look> {
  const atMs = performance.now();
  if (process.platform !== 'linux') return { atMs, ...(await askPs(pid)) };
  const [stat, status] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/status`, 'utf8')]);
  // The name of the program is in brackets, and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const peakKb = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]);
  // It ends as a process without memory.
  if (Number.isNaN(peakKb)) throw new Error(`process ${pid} is gone`);
  return { atMs, cpuMs: (user + system) * TICK_MS, peakMb: peakKb / 1_024 };
}

function askPs(pid: number): Promise<Pick<Look, 'cpuMs' | 'peakMb'>> {
  return new Promise((resolve, reject) => {
    execFile('ps', ['-o', 'time=,rss=', '-p', `${pid}`], { timeout: 5_000 }, (error, stdout) => {
      const seen = error === null ? psLine(stdout) : undefined;
      if (seen === undefined) reject(new Error(`process ${pid} is gone`));
      else resolve(seen);
    });
  });
}

/** Reads `1-02:03:04.56 7890`: days, hours, minutes and seconds of CPU, and kilobytes. */
export function psLine(text: string): Pick<Look, 'cpuMs' | 'peakMb'> | undefined {
  const [, days = '0', clock = '', kilobytes = ''] = /^\s*(?:(\d+)-)?([\d:.]+)\s+(\d+)\s*$/.exec(text) ?? [];
  if (clock === '') return undefined;
  const seconds = clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
  return { cpuMs: Math.round((Number(days) * 86_400 + seconds) * 1_000), peakMb: Number(kilobytes) / 1_024 };
}
