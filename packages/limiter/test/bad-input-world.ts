import { type Lease, Limit, RateLimiter } from '@millrace/limiter';
import { type EngineTable, launchTable } from './engine-table.js';

export const CAPACITY = 10;
export const PARENT_CAPACITY = 6;
const LIMITS = [Limit.perMinute('rpm', CAPACITY), Limit.perMinute('tpm', 1_000)];
const PARENT_LIMITS = [Limit.perMinute('rpm', PARENT_CAPACITY)];

/** The limits that hold for everybody; the entity `parent` has less. */
export const limits = (entity: string) => (entity === 'parent' ? PARENT_LIMITS : LIMITS);

/** A table that is in use: a family, buckets from which something was taken, leases in every state. */
export interface BadInputWorld {
  readonly table: EngineTable;
  readonly limiter: RateLimiter;
  readonly closed: RateLimiter;
  /** Holds `{ rpm: 2 }`, and so does its parent for it. */
  readonly open: Lease;
  readonly committed: Lease;
  readonly released: Lease;
  /** Was given by the limiter that is closed. */
  readonly orphaned: Lease;
  close(): Promise<void>;
}

export async function openBadInputWorld(): Promise<BadInputWorld> {
  const table = await launchTable();
  const options = { ...table.connection, table: table.table, clock: { nowMs: () => 1_800_000_000_000 }, requestTimeoutMs: 30_000 };
  const [limiter, closed] = await Promise.all([RateLimiter.open(options), RateLimiter.open(options)]);
  await limiter.entities.create('parent');
  await limiter.entities.create('child', { parent: 'parent', cascade: true });

  const take = (from: RateLimiter, entity: string) => from.acquire(entity, 'api', { rpm: 2 }, { limits });
  const open = await take(limiter, 'child');
  const committed = await take(limiter, 'committed');
  await committed.commit();
  const released = await take(limiter, 'released');
  await released.release();
  const orphaned = await take(closed, 'orphaned');
  await closed.close();

  return {
    table,
    limiter,
    closed,
    open,
    committed,
    released,
    orphaned,
    async close() {
      await limiter.close();
      await table.close();
    },
  };
}
