import type { Units } from '@millrace/cost';
import type { Ground } from './ground.js';
import type { Operation } from './operation.js';
import { ACQUIRES, GUESSES } from './operations-acquire.js';
import { ADMINISTRATION, CONFIG } from './operations-config.js';
import { EVENTS } from './operations-events.js';
import { REFUSALS, SETTLING } from './operations-settle.js';

/** What one operation costs, as it was counted. */
export interface OperationCount extends Pick<Operation, 'id' | 'published' | 'ours' | 'note'> {
  readonly counted: Units;
}

const OPERATIONS: readonly Operation[] = [...ACQUIRES, ...REFUSALS, ...GUESSES, ...SETTLING, ...EVENTS, ...CONFIG, ...ADMINISTRATION];

/** The time between two rows, far below the life of anything that is remembered. */
const ROW_MS = 10;

/** Counts each operation of the peer's table, one after the other, each on buckets of its own. */
export async function countOperations(ground: Ground): Promise<readonly OperationCount[]> {
  const stand = { ground, one: await ground.open(), other: await ground.open() };
  const counts: OperationCount[] = [];
  for (const { count, ...operation } of OPERATIONS) {
    // What one row did must be over: a proof of exhaustion has to be younger than the last act of an administrator.
    ground.runtime.advance(ROW_MS);
    counts.push({ ...operation, counted: await count(stand) });
  }
  return counts;
}
