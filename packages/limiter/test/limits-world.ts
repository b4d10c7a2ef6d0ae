import type { ConfigRef } from '@millrace/core';
import { type Administration, type Item, type ItemTable, type ItemWrite, StoredLimits } from '@millrace/limiter/admin';
import { MemoryTable } from '@millrace/testing';

export const START_MS = 1_800_000_000_000;

/** Stored limits over a table in memory, with a clock that moves when a test says so. */
export interface LimitsWorld {
  readonly table: MemoryTable;
  readonly limits: StoredLimits;
  readonly parts: Administration;
  /** What was told to the caches, in order. */
  readonly told: ConfigRef[];
  /** The transactions that were sent, those with a conflict included. */
  readonly transactions: (readonly ItemWrite[])[];
  /** How many requests were sent for reading. */
  readonly reads: () => number;
  nowMs: number;
  /** Runs once before the next transaction: somebody who comes in between. */
  before: (() => Promise<void>) | undefined;
  item(partition: string, sort: string): Item | undefined;
  /** The events of the namespace, oldest first. */
  events(): readonly Item[];
}

/** Of all worlds together: their tables may be copies of each other. */
let events = 0;

export function limitsWorld(table = new MemoryTable(), namespaceId = 'ns1'): LimitsWorld {
  let reads = 0;
  const watched: ItemTable = {
    get: (keys) => {
      reads += Math.ceil(keys.length / 100);
      return table.get(keys);
    },
    query: (query) => {
      reads += 1;
      return table.query(query);
    },
    transact: async (writes) => {
      world.transactions.push(writes);
      const before = world.before;
      world.before = undefined;
      await before?.();
      return table.transact(writes);
    },
    deleteAll: (keys) => table.deleteAll(keys),
    scan: (...args) => table.scan(...args),
    indexed: (...args) => table.indexed(...args),
  };
  const parts: Administration = {
    items: watched,
    namespaceId,
    nowMs: () => world.nowMs,
    newEventId: () => {
      events += 1;
      return `event-${String(events).padStart(9, '0')}`;
    },
    actor: undefined,
    onChange: (refs) => world.told.push(...refs),
    run: (_operation, work) => work(),
  };
  const world: LimitsWorld = {
    table,
    limits: new StoredLimits(parts),
    parts,
    told: [],
    transactions: [],
    reads: () => reads,
    nowMs: START_MS,
    before: undefined,
    item: (partition, sort) => table.items().find((item) => item['PK'] === partition && item['SK'] === sort),
    events: () =>
      table
        .items()
        .filter((item) => item['PK'] === `${namespaceId}/a`)
        .sort((a, b) => (String(a['SK']) < String(b['SK']) ? -1 : 1)),
  };
  return world;
}
