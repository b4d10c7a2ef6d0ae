import type { Crew } from '../plan/crews.js';
import type { Live } from '../plan/live.js';
import type { RunSettings } from '../plan/settings.js';
import type { WorkerOrder, WorkerResult } from './order.js';
import { type Assignment, planWorkers } from './plan.js';
import { Tally } from './tally.js';
import type { WorkerHost, WorkerWatch } from './worker-host.js';

/** A distributed run, as it was asked for. */
export interface RunRequest {
  readonly settings: RunSettings;
  /** How many workers there are when, one crew after the other. */
  readonly crews: readonly Crew[];
  /** How late a worker may begin. Default 2,000 ms. */
  readonly toleranceMs?: number;
  /** How long after its planned end a worker may answer. Default 60,000 ms. */
  readonly answerWithinMs?: number;
  /** Where each worker writes its answer too. */
  readonly resultsBucket?: string;
  /** The port of each worker's own host on which k6 shows its dashboard; absent where nobody looks. */
  readonly dashboardPort?: number;
}

export interface RunParts {
  readonly host: WorkerHost;
  readonly nowMs: () => number;
  /** Rejects when the signal ends it first. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
  readonly progress?: (event: ProgressEvent) => void;
}

/** What a watcher is told while it goes on. */
export type ProgressEvent =
  | { readonly kind: 'planned'; readonly crews: readonly Crew[]; readonly parts: number; readonly startAtMs: number }
  | { readonly kind: 'launched'; readonly worker: number; readonly slice: number }
  | { readonly kind: 'started'; readonly worker: number; readonly slice: number; readonly name: string | number }
  | { readonly kind: 'heard'; readonly worker: number; readonly slice: number; readonly live: Live }
  | { readonly kind: 'answered'; readonly result: WorkerResult };

/** A whole run: added up, and honest about what is missing of it. It is judged once, by whoever asked for it. */
export interface RunOutcome {
  readonly host: string;
  readonly startAtMs: number;
  readonly workers: readonly WorkerResult[];
  /** The share of the asked load that finished workers ran: 1 when nothing is missing. */
  readonly completeness: number;
  readonly tally: Tally;
}

/** Runs a test on many workers. A worker that fails never ends the others: their numbers are kept, and its absence is said. */
export async function runDistributed(request: RunRequest, parts: RunParts): Promise<RunOutcome> {
  const { host, nowMs, progress } = parts;
  const plan = planWorkers({
    crews: request.crews,
    leadSec: host.leadSec,
    ...(host.longestSec === undefined ? {} : { longestSec: host.longestSec - host.leadSec }),
  });
  const startAtMs = nowMs() + host.leadSec * 1_000;
  progress?.({ kind: 'planned', crews: request.crews, parts: plan.length, startAtMs });
  const workers = await Promise.all(
    plan.map(async (assignment) => {
      const result = await runAssignment(assignment, startAtMs, request, parts);
      progress?.({ kind: 'answered', result });
      return result;
    }),
  );
  return outcomeOf(host.name, startAtMs, plan, workers);
}

async function runAssignment(assignment: Assignment, startAtMs: number, request: RunRequest, parts: RunParts): Promise<WorkerResult> {
  const { settings, toleranceMs = 2_000, answerWithinMs = 60_000, resultsBucket, dashboardPort } = request;
  const { run: runId } = settings;
  const { worker, slice, segment, sequence, users, fromSec, toSec, launchAtSec } = assignment;
  const part = { fromMs: fromSec * 1_000, toMs: toSec * 1_000, ...(users === undefined ? {} : { users }) };
  const key = `runs/${runId}/${worker}-${slice}.json`;
  const order: WorkerOrder = {
    runId,
    worker,
    slice,
    segment,
    sequence,
    startAtMs: startAtMs + fromSec * 1_000,
    toleranceMs,
    durationSec: toSec - fromSec,
    settings: { ...settings, part },
    ...(resultsBucket === undefined ? {} : { results: { bucket: resultsBucket, key } }),
    ...(dashboardPort === undefined ? {} : { dashboardPort }),
  };
  const lost = (reason: string): WorkerResult => ({ runId, worker, slice, outcome: 'lost', reason, ranMs: 0, series: {}, droppedLines: 0 });
  try {
    const waitMs = startAtMs + launchAtSec * 1_000 - parts.nowMs();
    if (waitMs > 0) await parts.sleep(waitMs, parts.signal);
    parts.progress?.({ kind: 'launched', worker, slice });
    return await answerOf(order, startAtMs + toSec * 1_000 + answerWithinMs, parts);
  } catch (error) {
    return lost(error instanceof Error ? error.message : String(error));
  }
}

/** The worker's answer, or an error when it has not come by then: a run must end even if a worker never does. */
async function answerOf(order: WorkerOrder, untilMs: number, { host, nowMs, sleep, signal, progress }: RunParts): Promise<WorkerResult> {
  const { worker, slice } = order;
  const watch: WorkerWatch = {
    heard: (live) => progress?.({ kind: 'heard', worker, slice, live }),
    started: (name) => progress?.({ kind: 'started', worker, slice, name }),
  };
  const patience = new AbortController();
  const giveUp = new AbortController();
  const stop = (): void => giveUp.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await Promise.race([
      host.run(order, giveUp.signal, watch),
      sleep(untilMs - nowMs(), patience.signal).then(() => {
        throw new Error(`no answer ${Math.round((untilMs - order.startAtMs) / 1_000)} s after its start`);
      }),
    ]);
  } finally {
    patience.abort();
    giveUp.abort();
    signal?.removeEventListener('abort', stop);
  }
}

function outcomeOf(host: string, startAtMs: number, plan: readonly Assignment[], workers: readonly WorkerResult[]): RunOutcome {
  const tally = new Tally();
  for (const { series } of workers) tally.add(Tally.fromJSON(series));
  return { host, startAtMs, workers, completeness: completenessOf(plan, workers), tally };
}

/** Each worker's part is its share of a time that it has with others. */
function completenessOf(plan: readonly Assignment[], workers: readonly WorkerResult[]): number {
  const isFinished = (at: number): boolean => workers[at]?.outcome === 'finished';
  // What is whole is 1, whatever rounding makes of thirds.
  if (plan.every((_, at) => isFinished(at))) return 1;
  const durationSec = plan.at(-1)?.toSec ?? 0;
  return (
    plan.reduce((sum, { fromSec, toSec, workers: many }, at) => sum + (isFinished(at) ? (toSec - fromSec) / many : 0), 0) / durationSec
  );
}
