import { DAYS_PER_MONTH, HOURS_PER_MONTH, NO_UNITS, SECONDS_PER_MONTH, type Units, writesOf } from './units.js';
import type { Workload } from './workload.js';

/** What the usage ledger does in a month. */
export interface LedgerWork {
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly writes: Units;
  /** What the index of windows takes: no requests of ours. */
  readonly indexWrites: Units;
}

/** Windows in a month of each type, in the order in which a workload counts them: hours, days, weeks, a month. */
const WINDOWS_PER_MONTH = [HOURS_PER_MONTH, DAYS_PER_MONTH, DAYS_PER_MONTH / 7, 1] as const;

/**
 * The usage ledger: one write for each bucket, window and batch. A batch has as many records as come while it fills, at
 * most as many as it may hold. Of E buckets that are equally busy, B records name D = E·(1 − (1 − 1/E)^B) different ones:
 * each of them is left out with the chance (1 − 1/E)^B. So, with R records,
 *
 *     batches = R ÷ B,   writes = batches · D · windows
 *
 * A window that is new has a place in the index as well, for one unit more; whatever is written to it later leaves the index
 * as it is. Of E buckets and W windows of a type in a month, R records fall into E·W·(1 − (1 − 1/(E·W))^R) different ones.
 *
 * The ledger's own writes are in the stream, too; a filter keeps them from the aggregator. A window's item is smaller than
 * a kilobyte. A longer wait for a batch is the lever: it costs nothing but the age of the figures.
 */
export function ledgerWork(workload: Workload, records: number): LedgerWork {
  if (workload.usageWindows === 0 || records === 0) return { invocations: 0, gbSeconds: 0, writes: NO_UNITS, indexWrites: NO_UNITS };
  const waiting = (records / SECONDS_PER_MONTH) * workload.usageBatchSec;
  const batch = Math.min(Math.max(1, waiting), workload.usageBatchRecords);
  const [batches, buckets] = [records / batch, workload.entities * workload.resources];
  return {
    invocations: batches,
    gbSeconds: (batches * workload.lambdaMsPerBatch * workload.lambdaMemoryMb) / 1_000 / 1_024,
    writes: writesOf(batches * differentOf(buckets, batch) * workload.usageWindows),
    indexWrites: { ...NO_UNITS, writeUnits: newWindows(buckets, workload.usageWindows, records) },
  };
}

/** How many windows of so many buckets are begun in a month. */
function newWindows(buckets: number, types: number, records: number): number {
  return WINDOWS_PER_MONTH.slice(0, types).reduce((sum, windows) => sum + differentOf(buckets * windows, records), 0);
}

/** How many different ones of equally likely things so many records name: at least one, and never more than there are records. */
function differentOf(things: number, records: number): number {
  if (things <= 1) return Math.min(1, records);
  return Math.min(records, -things * Math.expm1(records * Math.log1p(-1 / things)));
}
