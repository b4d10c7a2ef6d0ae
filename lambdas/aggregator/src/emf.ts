import { AGGREGATOR_METRICS, type Clock, embeddedMetrics, METRIC_DIMENSION, type MetricDefinition } from '@millrace/core';
import type { BatchFigures, Metrics, Trouble } from './ports.js';

/** Each figure has a metric: their names are core's, so that a dashboard cannot know others. */
const METRICS: Readonly<Record<keyof BatchFigures, MetricDefinition>> = AGGREGATOR_METRICS;
const FIGURES = Object.keys(METRICS) as readonly (keyof BatchFigures)[];

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
    const metrics = FIGURES.flatMap((key) => {
      const value = figures[key];
      return value === undefined ? [] : [{ definition: METRICS[key], value }];
    });
    write(embeddedMetrics(metricsNamespace, clock.nowMs(), { dimensions: { [METRIC_DIMENSION.table]: table }, metrics }));
  }

  trouble(trouble: Trouble): void {
    const { table, clock, write } = this.#options;
    write(JSON.stringify({ level: 'error', at: new Date(clock.nowMs()).toISOString(), table, ...trouble }));
  }
}
