import { StoreFailure, type WireItem } from '@millrace/core';
import { type BucketStep, stepOf } from '@millrace/ledger';
import type { Item, ItemTable, ItemWrite } from '@millrace/limiter/admin';
import type { CommittedUse } from '@millrace/limiter/engine';
import { MemoryTable } from '@millrace/testing';
import { eventIds } from '../src/admin/audit-log.js';
import { wireItem } from '../src/admin/level-item.js';
import { type BillingOptions, checkBilling } from '../src/billing/billing-options.js';
import { EventRecorder } from '../src/billing/event-recorder.js';
import type { UsageEvent } from '../src/billing/usage-event.js';
import { readEvents } from '../src/usage/events.js';
import { Sleepers } from './sleepers.js';

export const NAMESPACE = 'ns1';
const REF = { namespaceId: NAMESPACE, entity: 'key-1', resource: 'gpt-4' };

export type RecordTable = Pick<ItemTable, 'transact' | 'get'>;

/** The answer of a table that cannot be reached; nothing is known of what it did. */
export const lost = (): never => {
  throw new StoreFailure('network', 'unknown', 'the reply is lost');
};

/** A table on which a test may do something before each transaction, and after it. */
export class WatchedTable implements RecordTable {
  readonly transactions: (readonly ItemWrite[])[] = [];
  before: () => Promise<void> | void = () => undefined;
  after: () => Promise<void> | void = () => undefined;
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  async transact(writes: readonly ItemWrite[]): Promise<'done' | 'conflict'> {
    this.transactions.push(writes);
    await this.before();
    const outcome = await this.#table.transact(writes);
    await this.after();
    return outcome;
  }

  get(keys: Parameters<ItemTable['get']>[0]): Promise<readonly (Item | undefined)[]> {
    return this.#table.get(keys);
  }

  /** How many events each transaction was to record. */
  get batches(): readonly number[] {
    return this.transactions.map((writes) => writes.filter((write) => write.kind === 'put' && 'amounts' in write.item).length);
  }
}

/** One table, processes that record in it, and a time that passes when a test says so. */
export class BillingWorld {
  readonly memory = new MemoryTable();
  readonly table = new WatchedTable(this.memory);
  readonly sleepers: Sleepers;
  readonly troubles: string[] = [];
  nowMs = Date.parse('2027-05-10T08:30:00Z');

  constructor() {
    this.sleepers = new Sleepers((ms) => {
      this.nowMs += ms;
    });
  }

  /** One more process. */
  recorder(options: Partial<BillingOptions> = {}, items: RecordTable = this.table): EventRecorder {
    const settings = checkBilling({ resources: ['gpt-4'], ...options });
    if (settings === undefined) throw new Error('there are options');
    return new EventRecorder({
      items,
      nowMs: () => this.nowMs,
      sleep: this.sleepers.sleep,
      newEventId: eventIds(() => this.nowMs),
      settings,
      deadlineMs: 3_000,
      onTrouble: (message) => this.troubles.push(message),
    });
  }

  use(more: Partial<CommittedUse> = {}): CommittedUse {
    return { ...REF, amounts: { rpm: 1, tpm: 100 }, degraded: false, ...more };
  }

  /** All events of an entity that are in the table. */
  async events(entity = REF.entity): Promise<readonly UsageEvent[]> {
    const parts = { items: this.memory, namespaceId: NAMESPACE, run: <T>(_: string, work: () => Promise<T>) => work() };
    const { events, next } = await readEvents(parts, {
      entity,
      resource: 'gpt-4',
      from: new Date(0),
      to: new Date('2100-01-01'),
      pageSize: 1_000,
    });
    if (next !== undefined) throw new Error('there is more than a page');
    return events;
  }

  /** The meter of an entity, as an image of the stream. */
  async meter(entity = REF.entity): Promise<WireItem | undefined> {
    const { items } = await this.memory.query({ partition: `${NAMESPACE}/v/${entity}/gpt-4`, prefix: 'm/', pageSize: 1 });
    const [item] = items;
    return item === undefined ? undefined : wireItem(item);
  }

  /** What the meter of an entity has counted since it began: events, and tokens of a limit. */
  async counted(entity = REF.entity, limit = 'tpm'): Promise<readonly [events: number, tokens: number]> {
    const step = stepBetween(undefined, await this.meter(entity));
    const { used } = step?.limits.get(limit) ?? { used: { from: 0n, to: 0n } };
    return [step === undefined ? 0 : step.seq.to - step.seq.from, Number(used.to - used.from)];
  }
}

/** What the record of a write of a meter says. */
export function stepBetween(oldImage: WireItem | undefined, newImage: WireItem | undefined, atMs = 0): BucketStep | undefined {
  if (newImage === undefined) return undefined;
  return stepOf({ eventId: 'meter', atMs, newImage, ...(oldImage === undefined ? {} : { oldImage }), isExpiry: false });
}
