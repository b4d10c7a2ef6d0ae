import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProgressEvent, type RunOutcome, type RunRequest, runDistributed } from '../distributed/coordinator.js';
import type { WorkerHost } from '../distributed/worker-host.js';
import type { Figures } from '../plan/figures.js';
import { type Live, together } from '../plan/live.js';
import type { Extent, Usage } from '../plan/report.js';
import { ERRORS_RATE, TURNS_BEGUN } from '../plan/series.js';
import type { LoadMaker, LoadTask, MadeLoad } from './load-maker.js';

/** What many workers are started with. */
export interface ManyWorkers {
  /** Where they run. What they reach DynamoDB with may depend on where that is. */
  readonly hostFor: (task: LoadTask) => WorkerHost;
  readonly runtime: string;
  readonly workers: number;
  readonly resultsBucket?: string;
  /** The port of each worker's own host on which k6 shows its dashboard; absent where nobody looks. */
  readonly dashboardPort?: number;
  readonly say: (text: string) => void;
  /** Told of each worker that runs: the process or the task that it is. */
  readonly onStarted?: (name: string | number) => void;
}

/** The load of workers that share a run. Their points are added up, and nobody's percentiles are averaged. */
export function manyWorkers(given: ManyWorkers): LoadMaker {
  const { hostFor, runtime, workers, say } = given;
  return {
    runtime,
    async make(task): Promise<MadeLoad> {
      const { folder, durationMs, signal } = task;
      const outcome = await runDistributed(requestOf(given, task), {
        host: hostFor(task),
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
      return { figures, extent: extentOf(outcome, figures, signal), notes: notesOf(outcome, runtime, workers), usage: usageOf(outcome) };
    },
  };
}

function requestOf({ workers, resultsBucket, dashboardPort }: ManyWorkers, { settings, durationMs }: LoadTask): RunRequest {
  return {
    settings,
    workers,
    durationSec: durationMs / 1_000,
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

function notesOf({ workers, completeness }: RunOutcome, runtime: string, count: number): readonly string[] {
  const missing = workers.filter(({ outcome }) => outcome !== 'finished');
  return [
    `${count} ${runtime} workers${completeness === 1 ? '' : `, ${(completeness * 100).toFixed(0)} % of the load was made`}`,
    ...missing.map(
      ({ worker, slice, outcome, reason }) =>
        `worker ${worker}${slice === 0 ? '' : `, part ${slice + 1}`}: ${outcome}${reason === undefined ? '' : `: ${reason}`}`,
    ),
    ...workers.flatMap(({ worker, notStored }) => (notStored === undefined ? [] : [`worker ${worker}: ${notStored}`])),
  ];
}

function textOf(event: Exclude<ProgressEvent, { readonly kind: 'heard' | 'started' }>): string {
  switch (event.kind) {
    case 'planned':
      return `${event.workers} workers, ${event.parts} parts, from ${new Date(event.startAtMs).toISOString()} on`;
    case 'launched':
      return `worker ${event.worker} is launched${event.slice === 0 ? '' : `, for part ${event.slice + 1}`}`;
    case 'answered': {
      const { worker, outcome, ranMs, reason } = event.result;
      return `worker ${worker}: ${outcome} after ${(ranMs / 1_000).toFixed(1)} s${reason === undefined ? '' : `: ${reason}`}`;
    }
  }
}
