import type { MetricPoint } from '@millrace/core';

/** What one entity did on one resource in the time of a report. */
export interface EntityActivity {
  readonly entity: string;
  readonly resource: string;
  /** Decisions, whatever they were. */
  readonly acquires: number;
  readonly rejected: number;
}

/** What is reported at one moment: what was counted since the report before. */
export interface MetricReport {
  /** The namespace in CloudWatch. */
  readonly namespace: string;
  readonly atMs: number;
  readonly table: string;
  /** The whole first, then each resource. */
  readonly points: readonly MetricPoint[];
  /** The entities that asked most, most first; empty unless the option `topEntities` is set. They are for a log: as metrics there would be too many. */
  readonly entities: readonly EntityActivity[];
}

/** Where reports go. One that throws or is late loses that report, and nothing else. */
export interface MetricSink {
  /** The signal says that nobody waits for it any longer. */
  send(report: MetricReport, signal: AbortSignal): Promise<void> | void;
  /** Called once, after the last report. */
  close?(): Promise<void> | void;
}
