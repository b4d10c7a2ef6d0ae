import type { Clock } from '@millrace/core';
import type { BatchFigures, Metrics, SealFigures, SealMetrics, Trouble } from './ports.js';

type Unit = readonly [name: string, unit: 'Count' | 'Milliseconds'];

/** Names and units of the metrics, as CloudWatch gets them. */
const UNITS: Readonly<Record<keyof BatchFigures, Unit>> = {
  records: ['Records', 'Count'],
  steps: ['BucketWrites', 'Count'],
  poison: ['PoisonRecords', 'Count'],
  failed: ['FailedRecords', 'Count'],
  windowsWritten: ['WindowsWritten', 'Count'],
  gaps: ['Gaps', 'Count'],
  windowsKnown: ['WindowsKnown', 'Count'],
  auditArchived: ['AuditEventsArchived', 'Count'],
  throttles: ['Throttles', 'Count'],
  lagMs: ['Lag', 'Milliseconds'],
  durationMs: ['Duration', 'Milliseconds'],
  nearLimit: ['EntitiesNearLimit', 'Count'],
  hotItems: ['HotItems', 'Count'],
};

const SEAL_UNITS = {
  periodsSealed: ['PeriodsSealed', 'Count'],
  periodsFailed: ['PeriodsNotSealed', 'Count'],
  isCutShort: ['SealingCutShort', 'Count'],
  durationMs: ['SealingDuration', 'Milliseconds'],
} as const satisfies Readonly<Record<keyof SealFigures, Unit>>;

/** Where metrics go, and of which table they are. */
export interface EmfOptions {
  readonly metricsNamespace: string;
  readonly table: string;
  readonly clock: Clock;
  /** Writes a line. */
  readonly write: (line: string) => void;
}

/**
 * Metrics as lines of the embedded metric format, which CloudWatch makes metrics of without a request; what went wrong as
 * lines of JSON. The gaps are those that a batch sees, within it and to what its windows knew. Those between two windows, and
 * how much is missing, only `millrace usage verify` sees.
 */
export class EmfMetrics implements Metrics, SealMetrics {
  readonly #options: EmfOptions;

  constructor(options: EmfOptions) {
    this.#options = options;
  }

  figures(figures: BatchFigures): void {
    this.#emit((Object.keys(UNITS) as (keyof BatchFigures)[]).map((key) => [UNITS[key], figures[key]]));
  }

  seals(figures: SealFigures): void {
    this.#emit((Object.keys(SEAL_UNITS) as (keyof SealFigures)[]).map((key) => [SEAL_UNITS[key], Number(figures[key])]));
  }

  trouble(trouble: Trouble): void {
    const { table, clock, write } = this.#options;
    write(JSON.stringify({ level: 'error', at: new Date(clock.nowMs()).toISOString(), table, ...trouble }));
  }

  #emit(all: readonly (readonly [Unit, number | undefined])[]): void {
    const { metricsNamespace, table, clock, write } = this.#options;
    const told = all.flatMap(([[Name, Unit], value]) => (value === undefined ? [] : [{ Name, Unit, value }]));
    const metrics = told.map(({ Name, Unit }) => ({ Name, Unit }));
    const values = Object.fromEntries(told.map(({ Name, value }) => [Name, value]));
    const directive = { Namespace: metricsNamespace, Dimensions: [['Table']], Metrics: metrics };
    write(JSON.stringify({ _aws: { Timestamp: Math.floor(clock.nowMs()), CloudWatchMetrics: [directive] }, Table: table, ...values }));
  }
}
