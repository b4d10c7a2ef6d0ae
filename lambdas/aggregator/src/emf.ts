import type { Clock } from '@millrace/core';
import type { BatchFigures, Metrics, Trouble } from './ports.js';

/** Names and units of the metrics, as CloudWatch gets them. */
const UNITS: Readonly<Record<keyof BatchFigures, readonly [name: string, unit: 'Count' | 'Milliseconds']>> = {
  records: ['Records', 'Count'],
  steps: ['BucketWrites', 'Count'],
  poison: ['PoisonRecords', 'Count'],
  failed: ['FailedRecords', 'Count'],
  windowsWritten: ['WindowsWritten', 'Count'],
  windowsKnown: ['WindowsKnown', 'Count'],
  auditArchived: ['AuditEventsArchived', 'Count'],
  throttles: ['Throttles', 'Count'],
  lagMs: ['Lag', 'Milliseconds'],
  durationMs: ['Duration', 'Milliseconds'],
  nearLimit: ['EntitiesNearLimit', 'Count'],
};

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
 * lines of JSON. How many gaps the ledger has is not among them: a batch cannot know, `millrace usage verify` does.
 */
export class EmfMetrics implements Metrics {
  readonly #options: EmfOptions;

  constructor(options: EmfOptions) {
    this.#options = options;
  }

  figures(figures: BatchFigures): void {
    const { metricsNamespace, table, clock, write } = this.#options;
    const told = (Object.keys(UNITS) as (keyof BatchFigures)[]).filter((key) => figures[key] !== undefined);
    const metrics = told.map((key) => ({ Name: UNITS[key][0], Unit: UNITS[key][1] }));
    const values = Object.fromEntries(told.map((key) => [UNITS[key][0], figures[key]]));
    const directive = { Namespace: metricsNamespace, Dimensions: [['Table']], Metrics: metrics };
    write(JSON.stringify({ _aws: { Timestamp: Math.floor(clock.nowMs()), CloudWatchMetrics: [directive] }, Table: table, ...values }));
  }

  trouble(trouble: Trouble): void {
    const { table, clock, write } = this.#options;
    write(JSON.stringify({ level: 'error', at: new Date(clock.nowMs()).toISOString(), table, ...trouble }));
  }
}
