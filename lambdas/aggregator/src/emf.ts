import {
  AGGREGATOR_METRICS,
  type Clock,
  embeddedMetrics,
  LEDGER_CHECK_METRICS,
  LEDGER_METRICS,
  METRIC_DIMENSION,
  type MetricDefinition,
  SEALING_METRICS,
} from '@millrace/core';
import { findingText } from './finding-text.js';
import type { BatchFigures, FoundInLedger, LedgerFigures, Metrics, SealFigures, SealMetrics, Trouble } from './ports.js';

/** Each figure has a metric: their names are core's, so that a dashboard cannot know others. */
const BATCH: Readonly<Record<keyof BatchFigures, MetricDefinition>> = AGGREGATOR_METRICS;
const SEALING: Readonly<Record<keyof SealFigures, MetricDefinition>> = SEALING_METRICS;
const LEDGER: Readonly<Record<keyof LedgerFigures, MetricDefinition>> = { ...LEDGER_CHECK_METRICS, ...LEDGER_METRICS };

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
 * lines of JSON. The gaps of a batch are those that it sees, within it and to what its windows knew. Those between two windows, and
 * how much is missing, are found when the day is sealed.
 */
export class EmfMetrics implements Metrics, SealMetrics {
  readonly #options: EmfOptions;

  constructor(options: EmfOptions) {
    this.#options = options;
  }

  figures(figures: BatchFigures): void {
    this.#emit(BATCH, figures);
  }

  seals(figures: SealFigures): void {
    this.#emit(SEALING, { ...figures, isCutShort: Number(figures.isCutShort) });
  }

  ledger(figures: LedgerFigures): void {
    this.#emit(LEDGER, figures);
  }

  finding(found: FoundInLedger): void {
    const { table, clock, write } = this.#options;
    const head = { level: 'error', at: new Date(clock.nowMs()).toISOString(), table, what: 'finding', message: findingText(found) };
    write(JSON.stringify({ ...head, namespace: found.namespace, ...found.finding }));
  }

  trouble(trouble: Trouble): void {
    const { table, clock, write } = this.#options;
    write(JSON.stringify({ level: 'error', at: new Date(clock.nowMs()).toISOString(), table, ...trouble }));
  }

  #emit<Key extends string>(definitions: Readonly<Record<Key, MetricDefinition>>, figures: Readonly<Partial<Record<Key, number>>>): void {
    const { metricsNamespace, table, clock, write } = this.#options;
    const metrics = (Object.keys(definitions) as Key[]).flatMap((key) => {
      const value = figures[key];
      return value === undefined ? [] : [{ definition: definitions[key], value }];
    });
    write(embeddedMetrics(metricsNamespace, clock.nowMs(), { dimensions: { [METRIC_DIMENSION.table]: table }, metrics }));
  }
}
