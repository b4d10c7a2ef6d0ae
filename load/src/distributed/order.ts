import type { Live } from '../plan/live.js';
import type { Usage } from '../plan/report.js';
import type { RunSettings } from '../plan/settings.js';
import type { TallyJson } from './tally.js';

/** What the coordinator tells a worker. Plain data: it is a Lambda event, a container's variable, or a child's first line. */
export interface WorkerOrder {
  readonly runId: string;
  readonly worker: number;
  readonly slice: number;
  readonly segment: string;
  readonly sequence: string;
  /** When all workers begin, milliseconds since the epoch. */
  readonly startAtMs: number;
  /** How late it may begin and still take part. */
  readonly toleranceMs: number;
  /** How long its part lasts. */
  readonly durationSec: number;
  /** The run's settings, with the part that is this worker's. They hold no secret. */
  readonly settings: RunSettings;
  /** Where the answer goes as well, for workers that nobody waits for on the line. */
  readonly results?: { readonly bucket: string; readonly key: string };
  /** The port of the worker's own host on which k6 shows its dashboard while it runs; absent where nobody looks. */
  readonly dashboardPort?: number;
}

/** How a worker ended. Only `finished` brought its whole share. */
export type WorkerOutcome = 'finished' | 'late' | 'killed' | 'failed' | 'lost';

/** What a worker answers, or what the coordinator writes for one that never did (`lost`). */
export interface WorkerResult {
  readonly runId: string;
  readonly worker: number;
  readonly slice: number;
  readonly outcome: WorkerOutcome;
  /** Why it did not finish, in words for a reader of the report. */
  readonly reason?: string;
  /** After the agreed start. */
  readonly delayMs?: number;
  readonly ranMs: number;
  /** What k6 took, where the system tells: for the capacity table. */
  readonly usage?: Usage;
  readonly series: TallyJson;
  /** Why the results bucket does not have this answer, though the order asked for it. */
  readonly notStored?: string;
  /** Lines of k6's output that were not understood, and points that were not kept. */
  readonly droppedLines: number;
}

/** What a worker that is a child process says to its parent: how it goes on, and at last its answer. */
export type WorkerMessage = { readonly live: Live } | { readonly result: WorkerResult };
