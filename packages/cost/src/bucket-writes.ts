import { unitsPerWrite } from './bucket-size.js';
import { type Units, writesOf } from './units.js';
import type { Workload } from './workload.js';

/** The writes of buckets in a month, by what they are for. */
export interface BucketWrites {
  readonly acquire: Units;
  readonly cascade: Units;
  readonly wrongForms: Units;
  readonly refusals: Units;
  readonly adjust: Units;
  /** Of them all, those that changed an item: the stream has a record of each. */
  readonly landed: number;
}

/**
 * The writes of buckets. With A acquires, of which a share r is refused and a share m of those from memory; s of them
 * cascading over d levels; g to a write; w wrong forms to a write that lands; a adjustments to an acquire admitted:
 *
 *     acquire     A·(1 − r) ÷ g
 *     cascade     A·(1 − r) ÷ g · s·(d − 1)           the levels are written side by side, one write each
 *     wrong forms A·(1 − r) ÷ g · (1 + s·(d − 1)) · w   refused by DynamoDB, billed, and sent again
 *     refusals    A·r·(1 − m) · (1 + 2·s·(d − 1))       one level refuses; what the others took is given back
 *     adjust      A·(1 − r) · a · (1 + s·(d − 1))
 *
 * each times the units of one write: see {@link unitsPerWrite}.
 */
export function bucketWrites(workload: Workload): BucketWrites {
  const units = unitsPerWrite(workload);
  const ancestors = workload.cascadeShare * (workload.depth - 1);
  const refused = workload.acquiresPerMonth * workload.refusedShare * (1 - workload.refusedLocallyShare);
  const admitted = workload.acquiresPerMonth * (1 - workload.refusedShare);
  const groups = admitted / workload.acquiresPerWrite;
  const adjusted = admitted * workload.adjustsPerAcquire * (1 + ancestors);
  return {
    acquire: writesOf(groups, units),
    cascade: writesOf(groups * ancestors, units),
    wrongForms: writesOf(groups * (1 + ancestors) * workload.wrongFormShare, units),
    refusals: writesOf(refused * (1 + 2 * ancestors), units),
    adjust: writesOf(adjusted, units),
    landed: groups * (1 + ancestors) + refused * 2 * ancestors + adjusted,
  };
}
