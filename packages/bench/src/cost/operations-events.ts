import type { Units } from '@millrace/cost';
import { AMOUNTS, RESOURCE } from './ground.js';
import { after, type Operation, type Stand } from './operation.js';

/** Counts what recording so many committed leases of one entity costs beside them. */
async function record({ ground }: Stand, entity: string, leases: number, isNamed: boolean): Promise<Units> {
  const limiter = await ground.open({ billing: { resources: [RESOURCE], maxDelayMs: 60_000, maxPending: leases } });
  const commit = async (): Promise<void> => {
    for (let index = 0; index < leases; index += 1) {
      const lease = await limiter.acquire(entity, RESOURCE, AMOUNTS, isNamed ? { idempotencyKey: `job-${index}` } : {});
      await lease.commit();
    }
  };
  return after({ ground, one: limiter, other: limiter }, commit, () => limiter.flush());
}

/** What usage events cost, on a resource whose leases are recorded. On any other they cost nothing. */
export const EVENTS: readonly Operation[] = [
  {
    id: 'event',
    ours: 'usage event of a committed lease, alone',
    note: 'one transaction, at two units an item: the event, and the meter that sums up',
    count: (stand) => record(stand, 'event', 1, false),
  },
  {
    id: 'named event',
    ours: 'the same, with an idempotency key',
    note: "the key's item, too",
    count: (stand) => record(stand, 'named-event', 1, true),
  },
  {
    id: 'events together',
    ours: 'usage events of 20 leases of one entity, together',
    note: 'one meter for all of them',
    count: (stand) => record(stand, 'events', 20, false),
  },
  {
    id: 'named events together',
    ours: 'the same, with idempotency keys',
    count: (stand) => record(stand, 'named-events', 20, true),
  },
];
