import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProgressEvent, type RunOutcome, runDistributed } from '../distributed/coordinator.js';
import type { WorkerHost } from '../distributed/worker-host.js';
import type { Figures } from '../plan/figures.js';
import { TURNS_BEGUN } from '../plan/series.js';
import type { LoadMaker, LoadTask } from './load-maker.js';

/** What many workers are started with. */
export interface ManyWorkers {
  /** Where they run. What they reach DynamoDB with may depend on where that is. */
  readonly hostFor: (task: LoadTask) => WorkerHost;
  readonly runtime: string;
  readonly workers: number;
  readonly resultsBucket?: string;
  readonly say: (text: string) => void;
  /** Ends the run: workers that can still answer do. */
  readonly signal?: AbortSignal;
}

/** The load of workers that share a run. Their points are added up, and nobody's percentiles are averaged. */
export function manyWorkers({ hostFor, runtime, workers, resultsBucket, say, signal }: ManyWorkers): LoadMaker {
  return {
    runtime,
    async make(task) {
      const { settings, folder, durationMs } = task;
      const request = { settings, workers, durationSec: durationMs / 1_000, ...(resultsBucket === undefined ? {} : { resultsBucket }) };
      const outcome = await runDistributed(request, {
        host: hostFor(task),
        nowMs: Date.now,
        sleep: (delayMs, ending) => sleep(delayMs, undefined, ending === undefined ? {} : { signal: ending }),
        progress: (event) => say(textOf(event)),
        ...(signal === undefined ? {} : { signal }),
      });
      const figures = figuresOf(outcome, durationMs);
      await Promise.all([
        writeFile(join(folder, 'figures.json'), JSON.stringify(figures)),
        writeFile(
          join(folder, 'workers.json'),
          `${JSON.stringify(
            outcome.workers.map(({ series, ...worker }) => worker),
            null,
            2,
          )}\n`,
        ),
      ]);
      return { figures, isWhole: outcome.completeness === 1, notes: notesOf(outcome, runtime, workers) };
    },
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

function textOf(event: ProgressEvent): string {
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
