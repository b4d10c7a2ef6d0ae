import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProgressEvent, type RunOutcome, type RunRequest, runDistributed } from '../distributed/coordinator.js';
import type { WorkerHost } from '../distributed/worker-host.js';
import { type Crew, crewsFor, crewsText, mostUsersPerWorker, type Scaling, steadyCrew } from '../plan/crews.js';
import type { Figures } from '../plan/figures.js';
import { type Live, together } from '../plan/live.js';
import type { Extent, Usage } from '../plan/report.js';
import { ERRORS_RATE, TURNS_BEGUN } from '../plan/series.js';
import type { LoadMaker, LoadTask, MadeLoad } from './load-maker.js';

/** How many workers there are, and when they are started. */
export interface Workforce {
  /** As many all the time, unless `scaling` says otherwise. */
  readonly workers: number;
  readonly scaling?: Scaling;
  /** From launching a worker to its being ready; absent for what is usual where they run. */
  readonly leadSec?: number;
}

/** What many workers are started with. */
export interface ManyWorkers {
  /** Where they run. What they reach DynamoDB with may depend on where that is. */
  readonly hostFor: (task: LoadTask) => WorkerHost;
  readonly runtime: string;
  readonly workforce: Workforce;
  /** What each worker is made of, for the report: `2048 processor units`; absent where nobody said. */
  readonly each?: string;
  readonly resultsBucket?: string;
  /** The port of each worker's own host on which k6 shows its dashboard; absent where nobody looks. */
  readonly dashboardPort?: number;
  readonly say: (text: string) => void;
  /** Told of each worker that runs: the process or the task that it is. */
  readonly onStarted?: (name: string | number) => void;
}

/** The load of workers that share a run. Their points are added up, and nobody's percentiles are averaged. */
export function manyWorkers(given: ManyWorkers): LoadMaker {
  const { hostFor, workforce, say } = given;
  return {
    runtime: given.runtime,
    async make(task): Promise<MadeLoad> {
      const { folder, durationMs, signal } = task;
      const host = ledHost(hostFor(task), workforce);
      const crews = crewsOf(workforce, task, host.leadSec);
      const outcome = await runDistributed(requestOf(given, task, crews), {
        host,
        nowMs: Date.now,
        sleep: (delayMs, ending) => sleep(delayMs, undefined, ending === undefined ? {} : { signal: ending }),
        progress: listener(given, task),
        signal,
      });
      const figures = figuresOf(outcome, durationMs);
      await Promise.all([
        writeFile(join(folder, 'figures.json'), JSON.stringify(figures)),
        writeFile(join(folder, 'workers.json'), workersText(outcome)),
      ]);
      if (signal.aborted) say('stopped before its end');
      return { figures, extent: extentOf(outcome, figures, signal), notes: notesOf(outcome, given, crews), usage: usageOf(outcome) };
    },
  };
}

/** A lead that somebody named goes before what is usual there. */
function ledHost(host: WorkerHost, { leadSec }: Workforce): WorkerHost {
  return leadSec === undefined ? host : { ...host, leadSec };
}

function crewsOf({ workers, scaling }: Workforce, { arrival, durationMs }: LoadTask, leadSec: number): readonly Crew[] {
  return scaling === undefined ? steadyCrew(workers, durationMs / 1_000) : crewsFor(arrival, scaling, leadSec);
}

function requestOf({ resultsBucket, dashboardPort }: ManyWorkers, { settings }: LoadTask, crews: readonly Crew[]): RunRequest {
  return {
    settings,
    crews,
    ...(resultsBucket === undefined ? {} : { resultsBucket }),
    ...(dashboardPort === undefined ? {} : { dashboardPort }),
  };
}

/** Says what happens to workers, and adds up what they tell while they run. */
function listener({ say, onStarted }: ManyWorkers, { begins, heard, started }: LoadTask): (event: ProgressEvent) => void {
  const lives = new Map<string, Live>();
  return (event) => {
    if (event.kind === 'heard') {
      lives.set(`${event.worker}.${event.slice}`, event.live);
      heard(together([...lives.values()]));
    } else if (event.kind === 'started') {
      if (typeof event.name === 'number') started(event.name, `worker ${event.worker}`);
      onStarted?.(event.name);
    } else {
      if (event.kind === 'planned') begins(event.startAtMs);
      say(textOf(event));
    }
  };
}

/**
 * All that workers told. One that was not heard to its end made turns that are on no list, so the table may hold more than
 * was counted; that is said the way k6 says it of turns that it breaks off.
 */
function figuresOf({ tally, workers }: RunOutcome, durationMs: number): Figures {
  const figures = tally.figures(durationMs);
  const unheard = workers.filter(({ outcome }) => outcome !== 'finished' && outcome !== 'late').length;
  if (unheard === 0) return figures;
  return { ...figures, counts: { ...figures.counts, [TURNS_BEGUN]: (figures.counts[TURNS_BEGUN] ?? 0) + unheard } };
}

/** A bucket that refuses takes nothing from the figures, but what was to be kept is not: that is a run with a part missing. */
function extentOf({ workers, completeness }: RunOutcome, { rates }: Figures, { aborted }: AbortSignal): Extent {
  if (aborted) return 'part';
  // Where nobody made a call, there is nothing that is a part.
  if ((rates[ERRORS_RATE]?.count ?? 0) === 0) return 'broken';
  return completeness === 1 && workers.every(({ notStored }) => notStored === undefined) ? 'whole' : 'part';
}

/** The mean of the workers' shares of a core, and the most memory that one had. */
function usageOf({ workers }: RunOutcome): Usage | undefined {
  const known = workers.flatMap(({ usage }) => usage ?? []);
  if (known.length === 0) return undefined;
  const cpuPercent = known.reduce((sum, usage) => sum + usage.cpuPercent, 0) / known.length;
  return { cpuPercent, peakMb: Math.max(...known.map(({ peakMb }) => peakMb)) };
}

function workersText({ workers }: RunOutcome): string {
  const rows = workers.map(({ series, ...worker }) => worker);
  return `${JSON.stringify(rows, null, 2)}\n`;
}

function notesOf({ workers, completeness }: RunOutcome, given: ManyWorkers, crews: readonly Crew[]): readonly string[] {
  const missing = workers.filter(({ outcome }) => outcome !== 'finished');
  const { runtime, each, workforce } = given;
  const ofEach = each === undefined ? '' : ` of ${each} each`;
  return [
    `${crewsText(crews, `${runtime} workers`)}${ofEach}${completeness === 1 ? '' : `, ${(completeness * 100).toFixed(0)} % of the load was made`}`,
    ...crowded(workforce, crews),
    ...missing.map(
      ({ worker, slice, outcome, reason }) =>
        `worker ${worker}${slice === 0 ? '' : `, part ${slice + 1}`}: ${outcome}${reason === undefined ? '' : `: ${reason}`}`,
    ),
    ...workers.flatMap(({ worker, notStored }) => (notStored === undefined ? [] : [`worker ${worker}: ${notStored}`])),
  ];
}

/** Why workers had more users than they were to have. */
function crowded({ scaling }: Workforce, crews: readonly Crew[]): readonly string[] {
  if (scaling === undefined) return [];
  const most = mostUsersPerWorker(crews);
  if (most <= scaling.usersPerWorker) return [];
  return [`up to ${most} users in a worker, not ${scaling.usersPerWorker}: there are at most ${scaling.maxWorkers} workers`];
}

function textOf(event: Exclude<ProgressEvent, { readonly kind: 'heard' | 'started' }>): string {
  switch (event.kind) {
    case 'planned':
      return `${crewsText(event.crews)}, ${event.parts} parts, from ${new Date(event.startAtMs).toISOString()} on${changesText(event.crews)}`;
    case 'launched':
      return `worker ${event.worker} is launched${event.slice === 0 ? '' : `, for part ${event.slice + 1}`}`;
    case 'answered': {
      const { worker, outcome, ranMs, reason } = event.result;
      return `worker ${worker}: ${outcome} after ${(ranMs / 1_000).toFixed(1)} s${reason === undefined ? '' : `: ${reason}`}`;
    }
  }
}

/** When there are how many, where that changes. */
function changesText(crews: readonly Crew[]): string {
  if (crews.length === 1) return '';
  return `: ${crews.map(({ workers, fromSec }) => `${workers} at ${Math.round(fromSec)} s`).join(', ')}`;
}
