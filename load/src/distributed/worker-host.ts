import type { Live } from '../plan/live.js';
import type { WorkerOrder, WorkerResult } from './order.js';

/** Where workers run: processes of this machine, Lambda functions, Fargate tasks. They differ in nothing else. */
export interface WorkerHost {
  /** For the report: `local`, `lambda`, `fargate`. */
  readonly name: string;
  /** From launching to being ready, at worst; workers are launched so much ahead. */
  readonly leadSec: number;
  /** How long a worker may live there at most, its start included. Absent: without end. */
  readonly longestSec?: number;
  /**
   * Launches a worker and waits for its answer.
   *
   * @param signal Ends it.
   * @param watch Told how it goes on, where a worker can tell while it runs: a Lambda function cannot.
   * @throws when nothing came back; the coordinator counts the worker as lost
   */
  run(order: WorkerOrder, signal: AbortSignal, watch?: WorkerWatch): Promise<WorkerResult>;
}

/** What is told of a worker before it answers. */
export interface WorkerWatch {
  /** What it knows by now. */
  heard(live: Live): void;
  /** The process or the task that it is. */
  started(name: string | number): void;
}
