import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rigOf } from '../aws/rig.js';
import { RigTasks } from '../aws/rig-tasks.js';
import { UsageError } from './flags.js';
import { resultsFolder } from './package-root.js';
import type { StopCommand } from './reading-arguments.js';
import { folderOf, runFolders, STEPS } from './results.js';
import { livingOf, type RunningRun, type RunProcess, runningIn } from './running.js';

/** k6 may end its turns, for which it has half a minute, and the report is written. */
const WAIT_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** How many things were told to end. */
export interface Stopped {
  readonly processes: number;
  readonly tasks: number;
}

/** Ends runs of this machine by what they have noted, and tasks of a rig by what they are marked with. */
export async function stopRuns(command: StopCommand, say: (text: string) => void): Promise<Stopped> {
  const results = resultsFolder(command.results);
  const running = command.run === undefined ? await allRunning(results) : await oneRunning(command, results);
  let processes = 0;
  for (const run of running) processes += await stopHere(run, say);
  let tasks = 0;
  for (const { stack, run } of rigsOf(command, running)) tasks += await stopTasks(stack, run, say);
  if (running.some(({ place }) => place === 'lambda'))
    say(
      'Lambda cannot be told to end an invocation: workers that run go on to their planned end, 13 minutes at most, and nobody waits for them',
    );
  return { processes, tasks };
}

async function allRunning(results: string): Promise<readonly RunningRun[]> {
  return (await runFolders(results)).flatMap((folder) => runningIn(folder) ?? []);
}

/** A run of another machine has no folder here; its tasks are found all the same. */
async function oneRunning({ run = '', stack }: StopCommand, results: string): Promise<readonly RunningRun[]> {
  // A search for the best number of users is stopped by the run that it is at.
  const steps = join(results, run, STEPS);
  if (existsSync(steps)) return allRunning(steps);
  try {
    return [runningIn(await folderOf(run, results)) ?? []].flat();
  } catch (error) {
    if (!(error instanceof UsageError) || stack === undefined) throw error;
    return [];
  }
}

/** Which rigs are asked, and for which run; for all runs where none is named. */
function rigsOf({ run, stack }: StopCommand, running: readonly RunningRun[]): readonly { readonly stack: string; readonly run?: string }[] {
  if (stack !== undefined) return [{ stack, ...(run === undefined ? {} : { run }) }];
  return running.flatMap((each) => (each.place === 'fargate' && each.stack !== undefined ? [{ stack: each.stack, run: each.run }] : []));
}

/** Tells the coordinator first: it ends its workers and reports what there is. Where it is gone, its processes are ended one by one. */
async function stopHere(run: RunningRun, say: (text: string) => void): Promise<number> {
  const living = await livingOf(run);
  const coordinator = living.find(({ what }) => what === 'coordinator');
  const told = coordinator === undefined ? living : [coordinator];
  for (const each of told) {
    // k6 ends its turns at the one, and drops them at the other.
    signal(each, each.what.startsWith('k6') ? 'SIGINT' : 'SIGTERM');
    say(`${run.run}: ${each.what} (process ${each.pid}) is told to end`);
  }
  if (await areGone(run, WAIT_MS)) return told.length;
  for (const each of await livingOf(run)) {
    signal(each, 'SIGKILL');
    say(`${run.run}: ${each.what} (process ${each.pid}) did not end, and was ended`);
  }
  return told.length;
}

function signal({ pid }: RunProcess, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

async function areGone(run: RunningRun, withinMs: number): Promise<boolean> {
  for (const untilMs = Date.now() + withinMs; Date.now() < untilMs; await sleep(LOOK_EVERY_MS)) {
    if ((await livingOf(run)).length === 0) return true;
  }
  return false;
}

async function stopTasks(stack: string, run: string | undefined, say: (text: string) => void): Promise<number> {
  const { fargate } = await rigOf(stack);
  if (fargate === undefined) return 0;
  const tasks = new RigTasks(fargate);
  try {
    const own = (await tasks.list()).filter((task) => run === undefined || task.run === run);
    for (const { arn, run: owner } of own) {
      await tasks.stop(arn, 'millrace load stop');
      say(`task ${arn.split('/').at(-1)} of run ${owner} is told to end`);
    }
    return own.length;
  } finally {
    tasks.close();
  }
}
