import { StoreFailure } from '@millrace/core';

/** The most writes of one take or charge: by then it has reached further behind than any round trip. */
export const MAX_WRITES = 8;

/** After so many misses in a row a bucket is taken to be changing its form all the time, and the write insists. */
const PATIENCE = 3;
/** How far the first insisting write reaches behind what was seen; each further one reaches twice as far. */
const FIRST_REACH_US = 10_000;
/** What was seen longer ago than this says that the bucket is idle, not that it changes all the time. */
const RECENT_US = 1_000_000;

/**
 * From which arrival time on the next write should land, if it should insist; undefined as long as an ordinary guess is
 * worth another try. Refusals bring the exact state, but a bucket of a short burst may have changed its form again by
 * the time that the next write arrives.
 */
export function insistFromUs(attempt: number, seenUs: number | undefined, nowUs: number): number | undefined {
  if (attempt <= PATIENCE || seenUs === undefined || nowUs - seenUs > RECENT_US) return undefined;
  return seenUs - FIRST_REACH_US * 2 ** (attempt - PATIENCE - 1);
}

/** The failure of a write that never met the bucket in the form that it was made for. */
export function restlessBucket(entity: string, resource: string): StoreFailure {
  return new StoreFailure('throttled', 'no', `the bucket of "${entity}" on "${resource}" changed under ${MAX_WRITES} writes in a row`);
}
