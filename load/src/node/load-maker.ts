import type { Figures } from '../plan/figures.js';
import type { RunSettings } from '../plan/settings.js';
import type { Site } from './site.js';

/** What makes the load of a run is told. */
export interface LoadTask {
  readonly settings: RunSettings;
  readonly site: Site;
  /** The run's folder. */
  readonly folder: string;
  /** How long turns are made. */
  readonly durationMs: number;
}

/** What came of it. */
export interface MadeLoad {
  readonly figures: Figures;
  /** Whether all of the load was made that was asked for. */
  readonly isWhole: boolean;
  /** What is missing and why, and who made it. */
  readonly notes: readonly string[];
}

/** Makes the load of a run: one k6 on this machine, or workers wherever they are. */
export interface LoadMaker {
  /** For the report: `local`, `lambda`. */
  readonly runtime: string;
  make(task: LoadTask): Promise<MadeLoad>;
}
