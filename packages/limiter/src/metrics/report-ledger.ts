import { LEDGER_METRICS, METRIC_DIMENSION, ValidationError } from '@millrace/core';
import type { RateLimiter } from '../rate-limiter.js';
import { isMissing } from '../usage/examine.js';
import type { UsageVerdict } from '../usage/trust-options.js';
import { observedOf } from './access.js';
import { checkMetricsNamespace, checkSink } from './options.js';
import type { MetricSink } from './sink.js';

/** Where a verdict is reported. */
export interface ReportLedgerOptions {
  readonly sink: MetricSink;
  /** @default 'Millrace' */
  readonly namespace?: string;
  /** @default now */
  readonly atMs?: number;
}

/**
 * Reports what a verification of the ledger came to, in the metrics that the alarm on gaps watches. The aggregator reports by
 * itself what it finds in the days that it seals; this is for a `usage.verify()` of everything, which also sees what no day tells,
 * and for ledgers of which nothing is sealed. Unlike a report of metrics it is a call of its own, so what the sink throws is passed on.
 */
export async function reportLedger(limiter: RateLimiter, verdict: UsageVerdict, options: ReportLedgerOptions): Promise<void> {
  const sink = checkSink(options.sink);
  const namespace = checkMetricsNamespace(options.namespace);
  const { table } = observedOf(limiter);
  if (typeof verdict !== 'object' || verdict === null || !Array.isArray(verdict.found))
    throw new ValidationError('verdict', 'what usage.verify() came to', verdict);
  const metrics = [
    { definition: LEDGER_METRICS.findings, value: verdict.findings },
    { definition: LEDGER_METRICS.gaps, value: verdict.found.filter(isMissing).length },
    { definition: LEDGER_METRICS.inFlight, value: verdict.inFlight.length },
  ];
  const points = [{ dimensions: { [METRIC_DIMENSION.table]: table }, metrics }];
  await sink.send({ namespace, atMs: options.atMs ?? Date.now(), table, points, entities: [] }, new AbortController().signal);
}
