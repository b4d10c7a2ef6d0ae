import type { Figures } from '../plan/figures.js';
import type { Live } from '../plan/live.js';
import type { Extent, Usage } from '../plan/report.js';
import type { RunSettings } from '../plan/settings.js';
import type { Arrival } from '../plan/shapes.js';
import type { GatewayMeter } from './gateway-meter.js';
import type { Site } from './site.js';

/** What makes the load of a run is told. */
export interface LoadTask {
  readonly settings: RunSettings;
  readonly site: Site;
  /** The run's folder. */
  readonly folder: string;
  /** What the scenario makes of the settings: how the load goes up and down. */
  readonly arrival: Arrival;
  /** How long turns are made. */
  readonly durationMs: number;
  /** What the Node service has counted, where turns go through one. */
  readonly gateway?: GatewayMeter | undefined;
  /** Told when turns will begin, where that is not now. */
  readonly begins: (atMs: number) => void;
  /** Told now and then what is known by then. */
  readonly heard: (live: Live) => void;
  /** Told of each process that is started, so that another command can end it. */
  readonly started: (pid: number, what: string) => void;
  /** Ends the load early. */
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface MadeLoad {
  readonly figures: Figures;
  /** How much of the load that was asked for was made. */
  readonly extent: Extent;
  /** What k6 took, where the system tells. */
  readonly usage?: Usage | undefined;
  /** What is missing and why, and who made it. */
  readonly notes: readonly string[];
}

/** Makes the load of a run: one k6 on this machine, or workers wherever they are. */
export interface LoadMaker {
  /** For the report: `local`, `lambda`. */
  readonly runtime: string;
  make(task: LoadTask): Promise<MadeLoad>;
}
