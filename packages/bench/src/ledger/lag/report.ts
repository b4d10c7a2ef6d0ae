import { figure } from '../../render/figure.js';
import { NOT_MEASURED, type Outcome } from '../../render/outcome.js';
import type { TextTable } from '../../render/table.js';
import type { LagRow } from './measure-lag.js';

const MILLIS_PER_SEC = 1_000;
const MOST_P95_SEC = 5;
/** Less of what was offered is another measurement: it may miss the promise, and cannot keep it. */
const LEAST_REACHED = 0.95;
const PROMISE = `1,000 changes/s through a stream, the pump and the function: p95 of the lag in seconds <= ${MOST_P95_SEC}`;

/** Whether the windows follow the stream as fast as is promised, at the rate that was reached. */
export function lagPromise(row: LagRow | undefined): Outcome {
  if (row === undefined) return { promise: PROMISE, measured: NOT_MEASURED, kept: undefined };
  const { p95Ms, offeredPerSecond, reachedPerSecond } = row;
  const p95Sec = p95Ms / MILLIS_PER_SEC;
  const isReached = reachedPerSecond >= LEAST_REACHED * offeredPerSecond;
  const reached = `${figure(p95Sec)} at ${figure(reachedPerSecond)} changes/s`;
  const measured = isReached ? reached : `${reached}: engine and writers took no more here`;
  return { promise: PROMISE, measured, kept: p95Sec > MOST_P95_SEC ? false : isReached ? true : undefined };
}

/** The table of the lag. */
export function lagTable(row: LagRow): TextTable {
  const { server, keys, changes, offeredPerSecond, reachedPerSecond, invocations, p50Ms, p95Ms, maxMs } = row;
  const figures = [keys, changes, offeredPerSecond, reachedPerSecond, invocations, p50Ms, p95Ms, maxMs].map((value) => figure(value));
  return {
    titles: ['server', 'buckets', 'changes', 'offered/s', 'reached/s', 'invocations', 'lag p50 ms', 'p95 ms', 'longest ms'],
    left: 1,
    rows: [[server, ...figures]],
  };
}

export const LAG_TITLE = 'lag: changes of a live stream, from when a write is sent to when the windows have it';

/** What the columns say, for those who read only the tables. */
export const LAG_NOTE =
  'Writers, engine and function are processes on the same cores. Each bucket has one writer, so that no two changes share a write and each is ' +
  'a record of the stream. The mapping is that of the construct: a batch of 1,000, which waits two seconds at most to fill. ' +
  'The lag counts until the function has answered for the whole batch. Measured once.\n';
