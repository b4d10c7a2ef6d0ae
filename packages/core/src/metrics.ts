/** What a metric is counted in, as CloudWatch calls it. */
export type MetricUnit = 'Count' | 'Milliseconds';

/** A metric as it is known in CloudWatch. */
export interface MetricDefinition {
  readonly name: string;
  readonly unit: MetricUnit;
}

/** The namespace in CloudWatch that all metrics of Millrace are in unless another is named. */
export const METRICS_NAMESPACE = 'Millrace';

/** What the metrics are told apart by: every one by its table, those about decisions also by the resource. */
export const METRIC_DIMENSION = { table: 'Table', resource: 'Resource' } as const;

/** The fields of a log line that tells what one entity did: no metrics, since they would be too many. */
export const ENTITY_FIELD = { entity: 'Entity', acquires: 'EntityAcquires', rejected: 'EntityRejected' } as const;

/** The resource under which all those are counted that have no place of their own in a report. */
export const OTHER_RESOURCES = '(other)';

function metric<Name extends string>(name: Name, unit: MetricUnit = 'Count'): { readonly name: Name; readonly unit: MetricUnit } {
  return { name, unit };
}

/** What is reported of each resource, and of all of them together. */
export const DECISION_METRICS = {
  admitted: metric('Admitted'),
  rejected: metric('Rejected'),
  /** Of the rejected: those that needed no request. */
  locallyRejected: metric('LocallyRejected'),
  /** Of the admitted: those let through without the store. */
  degraded: metric('Degraded'),
  /** Acquires that ended with an error, because the store gave no answer. */
  unavailable: metric('Unavailable'),
  /** From the call until it was decided. The wait for a turn (`waitMs`) comes after that. */
  acquireLatency: metric('AcquireLatency', 'Milliseconds'),
} as const;

/** What a process that acquires reports of itself. */
export const LIMITER_METRICS = {
  ...DECISION_METRICS,
  shadowRejected: metric('ShadowRejected'),
  waited: metric('Waited'),
  requests: metric('Requests'),
  readUnits: metric('ConsumedReadUnits'),
  writeUnits: metric('ConsumedWriteUnits'),
  /** Writes whose condition was refused: AWS bills them and reports no units for them. */
  refusedWrites: metric('RefusedWrites'),
  /** Writes that guessed the bucket's state wrong, as others had written in between, and had to go again. */
  contended: metric('Contended'),
  retries: metric('Retries'),
  lostReplies: metric('LostReplies'),
  cacheHits: metric('CacheHits'),
  cacheMisses: metric('CacheMisses'),
  /** How far the process's clock is proved to be off DynamoDB's, either way. */
  clockError: metric('ClockError', 'Milliseconds'),
  /** Reports that could not be delivered since the last one that was. */
  reportFailures: metric('ReportFailures'),
} as const;

/** What the aggregator writes of each batch. */
export const AGGREGATOR_METRICS = {
  records: metric('Records'),
  steps: metric('BucketWrites'),
  poison: metric('PoisonRecords'),
  failed: metric('FailedRecords'),
  windowsWritten: metric('WindowsWritten'),
  gaps: metric('Gaps'),
  windowsKnown: metric('WindowsKnown'),
  auditArchived: metric('AuditEventsArchived'),
  throttles: metric('Throttles'),
  lagMs: metric('Lag', 'Milliseconds'),
  durationMs: metric('Duration', 'Milliseconds'),
  nearLimit: metric('EntitiesNearLimit'),
  hotItems: metric('HotItems'),
} as const;

/** What the aggregator says of each round of sealing. */
export const SEALING_METRICS = {
  periodsSealed: metric('PeriodsSealed'),
  periodsFailed: metric('PeriodsNotSealed'),
  isCutShort: metric('SealingCutShort'),
  durationMs: metric('SealingDuration', 'Milliseconds'),
} as const;

/** What is reported of a verification of the ledger. */
export const LEDGER_METRICS = {
  /** Whatever is wrong with the ledger, gaps included. */
  findings: metric('LedgerFindings'),
  /** Places where records are missing. */
  gaps: metric('LedgerGaps'),
  /** Entries that buckets have counted and the ledger has not yet. */
  inFlight: metric('LedgerInFlight'),
} as const;

/** What the aggregator says, beside that, of the books that it has checked by itself: the ledger of an entity on a resource in a day. */
export const LEDGER_CHECK_METRICS = {
  checked: metric('BooksChecked'),
  /** Those that could not be read, or not be told apart. */
  unchecked: metric('BooksNotChecked'),
} as const;

/** Values that were seen, and how often each was: what percentiles can be told from. */
export interface Distribution {
  readonly values: readonly number[];
  readonly counts: readonly number[];
}

/** Metrics of one moment that share their dimensions. */
export interface MetricPoint {
  /** Values by the names of dimensions. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly metrics: readonly { readonly definition: MetricDefinition; readonly value: number | Distribution }[];
}

/**
 * A point in CloudWatch's embedded metric format: one line of JSON in a log, from which CloudWatch makes metrics without
 * a request. It takes at most 100 values of a distribution, and 100 metrics; more would be dropped in silence.
 */
export function embeddedMetrics(namespace: string, atMs: number, { dimensions, metrics }: MetricPoint): string {
  const directive = {
    Namespace: namespace,
    Dimensions: [Object.keys(dimensions)],
    Metrics: metrics.map(({ definition: { name, unit } }) => ({ Name: name, Unit: unit })),
  };
  const values = metrics.map(({ definition, value }) => [definition.name, typeof value === 'number' ? value : inCapitals(value)] as const);
  const head = { _aws: { Timestamp: Math.floor(atMs), CloudWatchMetrics: [directive] } };
  return JSON.stringify({ ...head, ...dimensions, ...Object.fromEntries(values) });
}

function inCapitals({ values, counts }: Distribution): object {
  return { Values: values, Counts: counts };
}
