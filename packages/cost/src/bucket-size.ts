import type { Workload } from './workload.js';

/** What DynamoDB bills a unit of writing by. */
const UNIT_BYTES = 1_024;
/** The parts of a key that are no names, the write number, the schema, the time to live and the configuration version. */
const FIXED_BYTES = 57;
/** Of one limit, without its name: four prefixes of attribute names, an arrival time, two counters and a scale. */
const LIMIT_BYTES = 54;

/**
 * How large a bucket's item is. A limit's name stands in four attribute names; a number takes a byte for two digits,
 * and one more. The scale is a text, as long as a period in microseconds and a refill are.
 */
export function bucketBytes({
  limits,
  limitNameBytes,
  keyNameBytes,
}: Pick<Workload, 'limits' | 'limitNameBytes' | 'keyNameBytes'>): number {
  return FIXED_BYTES + keyNameBytes + limits * (LIMIT_BYTES + 4 * limitNameBytes);
}

/** Units that one write of a bucket costs: one for each kilobyte begun, whatever the write changes. */
export function unitsPerWrite(workload: Pick<Workload, 'limits' | 'limitNameBytes' | 'keyNameBytes'>): number {
  return Math.ceil(bucketBytes(workload) / UNIT_BYTES);
}
