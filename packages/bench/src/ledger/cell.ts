import type { ServerKind, Site } from '../servers/site.js';
import type { SideName } from './side.js';

/** One line of what is measured: a scenario, how much goes on at once, and how far away the table is. */
export interface Cell {
  readonly scenario: string;
  readonly server: ServerKind;
  /** Held back before each request is sent. */
  readonly latencyMs: number;
  readonly concurrency: number;
  readonly side: SideName;
}

/** What a worker is told. */
export interface Task {
  readonly site: Pick<Site, 'endpoint' | 'region' | 'credentials'>;
  readonly table: string;
  readonly cell: Cell;
  /** Midnight of the day that the changes are of, UTC. */
  readonly dayMs: number;
  readonly repetitions: number;
}

/** One share, worked off. */
export interface Run {
  readonly elapsedMs: number;
  /** User and system time of the worker. */
  readonly cpuUs: number;
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** What a worker has found. */
export interface WorkerReport {
  readonly runs: readonly Run[];
  /** The most memory that the worker's process ever had, before the first share and after the last. */
  readonly startRssBytes: number;
  readonly peakRssBytes: number;
}
