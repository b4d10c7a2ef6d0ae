import type { Workload } from './workload.js';

/** What DynamoDB bills a unit of writing by. */
const UNIT_BYTES = 1_024;
/** What is no name of a key, the write number, schema, time to live, configuration version, and four slots for request ids. */
const FIXED_BYTES = 99;
/** Of one limit, without its name: four prefixes of attribute names, an arrival time, two counters and a scale. */
const LIMIT_BYTES = 47;

/**
 * How large a bucket's item becomes. A limit's name stands in four attribute names; a number takes a byte for two digits,
 * and one more. A young item is some bytes smaller: its counters end in zeros, and not all slots are taken.
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
