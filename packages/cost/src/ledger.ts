import { NO_UNITS, SECONDS_PER_MONTH, type Units, writesOf } from './units.js';
import type { Workload } from './workload.js';

/** What the usage ledger does in a month. */
export interface LedgerWork {
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly writes: Units;
}

/**
 * The usage ledger: one write for each bucket, window and batch. A batch has as many records as come while it fills, at
 * most as many as it may hold. Of E buckets that are equally busy, B records name D = E·(1 − (1 − 1/E)^B) different ones:
 * each of them is left out with the chance (1 − 1/E)^B. So, with R records,
 *
 *     batches = R ÷ B,   writes = batches · D · windows
 *
 * The ledger's own writes are in the stream, too; a filter keeps them from the aggregator. A window's item is smaller than
 * a kilobyte. A longer wait for a batch is the lever: it costs nothing but the age of the figures.
 */
export function ledgerWork(workload: Workload, records: number): LedgerWork {
  if (workload.usageWindows === 0 || records === 0) return { invocations: 0, gbSeconds: 0, writes: NO_UNITS };
  const waiting = (records / SECONDS_PER_MONTH) * workload.usageBatchSec;
  const batch = Math.min(Math.max(1, waiting), workload.usageBatchRecords);
  const batches = records / batch;
  return {
    invocations: batches,
    gbSeconds: (batches * workload.lambdaMsPerBatch * workload.lambdaMemoryMb) / 1_000 / 1_024,
    writes: writesOf(batches * bucketsOf(workload.entities * workload.resources, batch) * workload.usageWindows),
  };
}

/** How many different buckets so many records name. */
function bucketsOf(buckets: number, records: number): number {
  return buckets === 1 ? 1 : -buckets * Math.expm1(records * Math.log1p(-1 / buckets));
}
