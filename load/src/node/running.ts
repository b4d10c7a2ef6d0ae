import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from './process-identity.js';

/** A process of a run, by its number and when it was started: only both together are it. */
export interface RunProcess {
  readonly pid: number;
  readonly identity: string;
  /** `coordinator`, `k6`, `worker 3`. */
  readonly what: string;
}

/** What is noted of a run while it goes on, so that another command can end it. */
export interface RunningRun {
  readonly run: string;
  readonly place: string;
  /** The stack of the rig, where workers are on AWS. */
  readonly stack?: string;
  readonly processes: readonly RunProcess[];
}

const FILE = 'running.json';

/** The note itself: a file in the run's folder, which goes away when the run has ended. */
export class RunningNote {
  readonly #file: string;
  #run: RunningRun;
  #isOpen = true;

  private constructor(file: string, run: RunningRun) {
    this.#file = file;
    this.#run = run;
    this.#write();
  }

  /** Notes that this process runs it. */
  static async open(folder: string, run: Omit<RunningRun, 'processes'>): Promise<RunningNote> {
    const note = new RunningNote(join(folder, FILE), { ...run, processes: [] });
    await note.add(process.pid, 'coordinator');
    return note;
  }

  /** Notes a process that the run has started. One that has ended already is none. */
  async add(pid: number, what: string): Promise<void> {
    const identity = await processIdentity(pid);
    if (identity === undefined || !this.#isOpen) return;
    this.#run = { ...this.#run, processes: [...this.#run.processes, { pid, identity, what }] };
    this.#write();
  }

  close(): void {
    this.#isOpen = false;
    rmSync(this.#file, { force: true });
  }

  #write(): void {
    // Whoever reads finds all of it or what was there before.
    const draft = `${this.#file}.draft`;
    writeFileSync(draft, `${JSON.stringify(this.#run, null, 2)}\n`);
    renameSync(draft, this.#file);
  }
}

/** What is noted in a run's folder; undefined where it has ended, or the note is not to be read. */
export function runningIn(folder: string): RunningRun | undefined {
  const file = join(folder, FILE);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunningRun;
  } catch {
    return undefined;
  }
}

/** Those of a run's processes that are still there. */
export async function livingOf(run: RunningRun): Promise<readonly RunProcess[]> {
  const found = await Promise.all(run.processes.map(async (each) => ((await processIdentity(each.pid)) === each.identity ? [each] : [])));
  return found.flat();
}
