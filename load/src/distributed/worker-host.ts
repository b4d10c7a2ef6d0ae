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
   * @throws when nothing came back; the coordinator counts the worker as lost
   */
  run(order: WorkerOrder, signal: AbortSignal): Promise<WorkerResult>;
}
