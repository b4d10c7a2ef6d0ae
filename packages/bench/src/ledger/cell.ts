import type { ServerKind, Site } from '../servers/site.js';

/** Who works changes off: our function behind the stream, or the way of one record and one mark. */
export const SIDES = ['millrace', 'plugin'] as const;
export type SideName = (typeof SIDES)[number];

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
  /** The most memory that the worker's process had up to the end of it. */
  readonly peakRssBytes: number;
}

/** Who works the shares of a task off. It is warm. */
export interface Worker extends AsyncDisposable {
  /** The most memory that its process had when nothing was measured yet. */
  readonly startRssBytes: number;
  /** Works off the next share. */
  run(): Promise<Run>;
}

/** Starts one: in a process of its own, or, in a test, in this one. */
export type StartWorker = (task: Task) => Promise<Worker>;
