import { checkKeys, ValidationError } from '@millrace/core';

/** What a service does with its limits, as far as the bill knows it. Shares are from 0 to 1. */
export interface Workload {
  /** In a month of 30 days; refused ones included. */
  readonly acquiresPerMonth: number;
  /** Limits of a bucket, 1 to 10. All of them are one write as long as the item stays within a kilobyte. */
  readonly limits: number;
  /** How long the name of a limit is; it stands in four attribute names. */
  readonly limitNameBytes: number;
  /** How long the names of entity and resource are together. */
  readonly keyNameBytes: number;
  /** Levels that a cascading acquire is charged at, the entity itself included: 1 to 9. */
  readonly depth: number;
  /** Of the acquires, those that cascade. */
  readonly cascadeShare: number;
  /** Writes sent in the wrong form, to each that lands: 0 where buckets rest between acquires, 0.01 to 0.36 where many processes share one. */
  readonly wrongFormShare: number;
  readonly refusedShare: number;
  /** Of the refused, those that what was seen last proves: they make no request. */
  readonly refusedLocallyShare: number;
  /** Acquires that share a write, by group commit or prefetch; 1 for a caller on its own. */
  readonly acquiresPerWrite: number;
  /** Adjustments and releases, to each acquire that is admitted. */
  readonly adjustsPerAcquire: number;
  /** Of the acquires, those whose configuration is read first. Left out, it follows from what is below. */
  readonly configMissShare?: number | undefined;
  /** How long what was read of limits and entities is believed. */
  readonly configTtlSec: number;
  /** Processes that acquire, each with a memory of its own. */
  readonly processes: number;
  /** Entities that acquire in a month, evenly. */
  readonly entities: number;
  readonly resources: number;
  /** Windows of the usage ledger: hour, day, week, month; 0 without a ledger. */
  readonly usageWindows: number;
  /** Records that the aggregator takes at once, at most. */
  readonly usageBatchRecords: number;
  /** How long the aggregator waits for a batch to fill. */
  readonly usageBatchSec: number;
  readonly lambdaMemoryMb: number;
  readonly lambdaMsPerBatch: number;
  /** Left out, a kilobyte for each bucket. */
  readonly storageGb?: number | undefined;
  /** `GetRecords` of a program of one's own on the stream, a month. Lambda's are free. */
  readonly streamReadsPerMonth: number;
}

/** What holds of a workload where nothing else is said. The aggregator is that of the closest peer's defaults, so that bills compare. */
export const DEFAULT_WORKLOAD: Workload = {
  acquiresPerMonth: 7_200_000,
  limits: 2,
  limitNameBytes: 6,
  keyNameBytes: 24,
  depth: 2,
  cascadeShare: 0,
  wrongFormShare: 0,
  refusedShare: 0,
  refusedLocallyShare: 0,
  acquiresPerWrite: 1,
  adjustsPerAcquire: 0,
  configMissShare: undefined,
  configTtlSec: 60,
  processes: 4,
  entities: 100,
  resources: 1,
  usageWindows: 2,
  usageBatchRecords: 100,
  usageBatchSec: 5,
  lambdaMemoryMb: 256,
  lambdaMsPerBatch: 50,
  storageGb: undefined,
  streamReadsPerMonth: 0,
};

interface Bound {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

const SHARE: Bound = { min: 0, max: 1 };
const whole = (min: number, max: number): Bound => ({ min, max, isWhole: true });

/** Between what a figure of a workload must lie. */
const BOUNDS: Readonly<Record<keyof Workload, Bound>> = {
  acquiresPerMonth: { min: 0, max: 1e15 },
  limits: whole(1, 10),
  limitNameBytes: whole(1, 32),
  keyNameBytes: whole(2, 1_024),
  depth: whole(1, 9),
  cascadeShare: SHARE,
  wrongFormShare: { min: 0, max: 5 },
  refusedShare: SHARE,
  refusedLocallyShare: SHARE,
  acquiresPerWrite: { min: 1, max: 1e6 },
  adjustsPerAcquire: { min: 0, max: 1e3 },
  configMissShare: SHARE,
  configTtlSec: { min: 0, max: 3_600 },
  processes: whole(1, 1e6),
  entities: whole(1, 1e9),
  resources: whole(1, 1e6),
  usageWindows: whole(0, 4),
  usageBatchRecords: whole(1, 10_000),
  usageBatchSec: { min: 0, max: 300 },
  lambdaMemoryMb: whole(128, 10_240),
  lambdaMsPerBatch: { min: 0, max: 900_000 },
  storageGb: { min: 0, max: 1e6 },
  streamReadsPerMonth: { min: 0, max: 1e15 },
};

/**
 * A workload, with what is left out filled in.
 *
 * @throws ValidationError if a figure is unknown, or outside of what it can be
 */
export function workloadOf(given: Partial<Workload> = {}): Workload {
  checkKeys('workload', given, Object.keys(BOUNDS));
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const workload: Workload = { ...DEFAULT_WORKLOAD, ...stated };
  for (const [name, { min, max, isWhole = false }] of Object.entries(BOUNDS)) {
    const value = workload[name as keyof Workload];
    if (value === undefined) continue;
    const isNumber = typeof value === 'number' && value >= min && value <= max && (!isWhole || Number.isInteger(value));
    if (!isNumber) throw new ValidationError(name, `a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`, value);
  }
  return workload;
}
