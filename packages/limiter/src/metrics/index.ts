export { type EmfSinkOptions, emfSink } from './emf-sink.js';
export type { ReporterRuntime, ReportMetricsOptions } from './options.js';
export { type ReportLedgerOptions, reportLedger } from './report-ledger.js';
export { reportMetrics } from './report-metrics.js';
export type { MetricsReporter, ReporterStats } from './reporter.js';
export type { EntityActivity, MetricReport, MetricSink } from './sink.js';
