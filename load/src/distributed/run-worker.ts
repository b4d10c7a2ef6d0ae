import { type RunSettings, SETTINGS_VARIABLE, settingsText } from '../plan/settings.js';
import { passBarrier } from './barrier.js';
import { collectorVariables } from './collector.js';
import { freePort } from './free-port.js';
import { K6Control } from './k6-control.js';
import { type K6Exit, type K6Process, startK6 } from './k6-process.js';
import type { WorkerOrder, WorkerOutcome, WorkerResult } from './order.js';
import type { Point } from './points.js';
import { type ProcessUsage, watchProcess } from './process-usage.js';

/** What a worker finds where it runs: a laptop, a Lambda function, a container. */
export interface WorkerPlace {
  /** The k6 program. */
  readonly k6: string;
  /** The bundle of a run's scenario. */
  readonly bundleOf: (settings: RunSettings) => string;
  readonly environment: NodeJS.ProcessEnv;
  readonly nowMs: () => number;
  /** Rejects when the signal ends it first. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /** How long after its planned end k6 may still run: requests in flight, the last iterations. */
  readonly graceMs: number;
  /** Hears every point as it comes: for live figures. */
  readonly onPoint?: (point: Point) => void;
  /** Told from outside: the host goes away, the user has had enough. */
  readonly signal?: AbortSignal;
}

/** Runs one worker's share from the agreed moment on, and answers in every case: what went wrong is part of the answer. */
export async function runWorker(order: WorkerOrder, place: WorkerPlace): Promise<WorkerResult> {
  const { runId, worker, slice } = order;
  const answer = (outcome: WorkerOutcome, k6?: K6Process, more: Partial<WorkerResult> = {}): WorkerResult => ({
    runId,
    worker,
    slice,
    outcome,
    ranMs: 0,
    series: k6?.tally.toJSON() ?? {},
    droppedLines: k6?.droppedLines() ?? 0,
    ...more,
  });

  const address = `127.0.0.1:${await freePort()}`;
  const control = new K6Control(address);
  const k6 = startK6(place.k6, argumentsOf(order, place, address), { environment: environmentOf(order, place), onPoint: place.onPoint });
  let exit: K6Exit | Error | undefined;
  const ended = k6.ended.then(
    (how) => (exit = how),
    (error: Error) => (exit = error),
  );
  const stop = (): void => k6.kill();
  place.signal?.addEventListener('abort', stop, { once: true });
  try {
    const barrier = await passBarrier(order.startAtMs, order.toleranceMs, {
      ...place,
      isReady: async () => exit !== undefined || (await control.isReady()),
    });
    if (place.signal?.aborted) return answer('killed', k6, { reason: 'stopped from outside before it began' });
    if (exit !== undefined) return answer('failed', k6, { reason: reasonOf(exit, k6) });
    if (!barrier.passed) return answer('late', k6, { reason: barrier.reason });
    const startedMs = place.nowMs();
    const taken = k6.pid === undefined ? undefined : watchProcess(k6.pid);
    await control.resume();
    const isOver = await endsWithin(order.durationSec * 1_000 + place.graceMs, ended, place);
    const ranMs = place.nowMs() - startedMs;
    const { delayMs } = barrier;
    const known = { ranMs, delayMs, ...usageOf(taken?.()) };
    if (!isOver) return answer('killed', k6, { ...known, reason: `still running ${place.graceMs} ms after its end` });
    if (place.signal?.aborted) return answer('killed', k6, { ...known, reason: 'stopped from outside' });
    return isCleanExit(exit) ? answer('finished', k6, known) : answer('failed', k6, { ...known, reason: reasonOf(exit, k6) });
  } finally {
    place.signal?.removeEventListener('abort', stop);
    k6.kill();
    await ended;
  }
}

function environmentOf({ settings, sequence, dashboardPort }: WorkerOrder, { environment }: WorkerPlace): NodeJS.ProcessEnv {
  const segments = sequence.split(',').length - 1;
  return {
    ...environment,
    ...collectorVariables({ ...settings, users: Math.ceil((settings.part?.users ?? settings.users) / segments) }, environment),
    [SETTINGS_VARIABLE]: settingsText(settings),
    // On loopback: a tunnel ends on the worker's host, and nobody else is to see it.
    ...(dashboardPort === undefined
      ? {}
      : { K6_WEB_DASHBOARD: 'true', K6_WEB_DASHBOARD_HOST: '127.0.0.1', K6_WEB_DASHBOARD_PORT: `${dashboardPort}` }),
  };
}

function usageOf(taken: ProcessUsage | undefined): Pick<WorkerResult, 'usage'> {
  return taken?.cpuPercent === undefined ? {} : { usage: { cpuPercent: taken.cpuPercent, peakMb: taken.peakMb } };
}

function argumentsOf(order: WorkerOrder, place: WorkerPlace, address: string): readonly string[] {
  const share = ['--execution-segment', order.segment, '--execution-segment-sequence', order.sequence];
  return ['--paused', '--address', address, ...share, place.bundleOf(order.settings)];
}

/** False when the time was over first. */
async function endsWithin(limitMs: number, ended: Promise<unknown>, { sleep }: WorkerPlace): Promise<boolean> {
  const timer = new AbortController();
  const timeUp = sleep(limitMs, timer.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([ended.then(() => true), timeUp]);
  } finally {
    timer.abort();
  }
}

function isCleanExit(exit: K6Exit | Error | undefined): boolean {
  return exit !== undefined && !(exit instanceof Error) && exit.code === 0;
}

function reasonOf(exit: K6Exit | Error | undefined, k6: K6Process): string {
  if (exit instanceof Error) return `k6 could not be started: ${exit.message}`;
  const how = exit?.signal ? `was ended by ${exit.signal}` : `ended with code ${exit?.code}`;
  return `k6 ${how}${k6.logTail() === '' ? '' : `: ${k6.logTail()}`}`;
}
