import {
  ATTRIBUTE,
  type BucketRef,
  bucketKey,
  counterBase,
  FIRST_LAYOUT,
  layoutAfter,
  limitAttribute,
  MAX_SHARDS,
  WINDOW_TYPES,
  type WindowType,
  type WireItem,
} from '@millrace/core';
import { type BucketStep, DEFAULT_RETENTION, type Retention, reduceSteps, stepOf, type WindowStore } from '@millrace/ledger';
import type { Item, ItemTable } from '@millrace/limiter/admin';
import { MemoryTable } from '@millrace/testing';
import { eventIds } from '../src/admin/audit-log.js';
import { wireItem } from '../src/admin/level-item.js';
import { windowsIn } from '../src/usage/book.js';
import { Usage } from '../src/usage/usage.js';
import type { UsageParts } from '../src/usage/usage-parts.js';

export const NAMESPACE = 'ns1';
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** What one write of a bucket does. */
interface Use {
  readonly entity?: string;
  readonly resource?: string;
  readonly shard?: number;
  readonly limit?: string;
  readonly used?: number;
  readonly returned?: number;
}

/** Buckets and their ledger in one table, without a stream: each write is booked by whoever makes it, unless a test loses it. */
export class UsageWorld {
  readonly table: ItemTable;
  readonly zone: string;
  readonly windows: WindowStore;
  readonly parts: UsageParts;
  readonly usage: Usage;
  /** What every waiting does; a test may let things happen meanwhile. */
  onSleep: () => Promise<void> = async () => undefined;
  readonly slept: number[] = [];
  /** Told of the image of every bucket that is written. */
  onWrite: (image: WireItem) => void = () => undefined;
  nowMs: number;
  types: readonly WindowType[] = WINDOW_TYPES;
  readonly #buckets = new Map<string, Item>();

  constructor(options: { readonly table?: ItemTable; readonly zone?: string; readonly at?: string; readonly retention?: Retention } = {}) {
    const { table = new MemoryTable(), zone = 'UTC', at = '2027-05-10T08:30:00Z', retention = DEFAULT_RETENTION } = options;
    [this.table, this.zone, this.nowMs] = [table, zone, Date.parse(at)];
    this.windows = windowsIn({ items: table }, retention);
    this.parts = {
      items: table,
      namespaceId: NAMESPACE,
      nowMs: () => this.nowMs,
      newEventId: eventIds(() => this.nowMs),
      actor: 'tester',
      onChange: () => undefined,
      run: (_operation, work) => work(),
      sleep: async (ms) => {
        this.slept.push(ms);
        await this.onSleep();
      },
      available: async () => ({ rpm: 7 }),
      zone: async () => zone,
    };
    this.usage = new Usage(this.parts);
  }

  at(text: string): this {
    this.nowMs = Date.parse(text);
    return this;
  }

  /** Writes to a bucket, and gives what its record says. Nothing is booked. */
  async write({ entity = 'key-1', resource = 'gpt-4', shard = 0, limit = 'rpm', used = 0, returned = 0 }: Use): Promise<BucketStep> {
    const ref: BucketRef = { namespaceId: NAMESPACE, entity, resource, shard };
    const { partition, sort } = bucketKey(ref);
    const [name, nowUs] = [`${partition}\n${sort}`, this.nowMs * 1_000];
    const old = this.#buckets.get(name);
    const counter = (part: 'used' | 'returned'): bigint =>
      BigInt((old?.[limitAttribute(part, limit)] as bigint | undefined) ?? counterBase(nowUs));
    const item: Item = {
      ...old,
      [ATTRIBUTE.partitionKey]: partition,
      [ATTRIBUTE.sortKey]: sort,
      [ATTRIBUTE.schemaVersion]: 1,
      [ATTRIBUTE.seq]: Number(old?.[ATTRIBUTE.seq] ?? nowUs) + 1,
      [ATTRIBUTE.eraUs]: old?.[ATTRIBUTE.eraUs] ?? nowUs,
      [ATTRIBUTE.ttlSec]: Math.ceil(this.nowMs / 1_000) + 7 * 86_400,
      [limitAttribute('tat', limit)]: nowUs,
      [limitAttribute('used', limit)]: counter('used') + BigInt(used),
      [limitAttribute('returned', limit)]: counter('returned') + BigInt(returned),
    };
    this.#buckets.set(name, item);
    await this.table.transact([{ kind: 'put', item }]);
    if (shard > 0) await this.#markSpread(ref);
    this.onWrite(wireItem(item));
    const images = { newImage: wireItem(item), ...(old === undefined ? {} : { oldImage: wireItem(old) }) };
    const step = stepOf({ eventId: name, atMs: Math.floor(this.nowMs / 1_000) * 1_000, isExpiry: false, ...images });
    if (step === undefined) throw new Error('a write that moves nothing has no step');
    return step;
  }

  /** The first item of a bucket that has others says that it was spread. */
  async #markSpread(ref: BucketRef): Promise<void> {
    const key = bucketKey({ ...ref, shard: 0 });
    const first = this.#buckets.get(`${key.partition}\n${key.sort}`);
    if (first === undefined || first[ATTRIBUTE.layout] !== undefined) return;
    const item = { ...first, [ATTRIBUTE.layout]: layoutAfter(FIRST_LAYOUT, MAX_SHARDS) };
    this.#buckets.set(`${key.partition}\n${key.sort}`, item);
    await this.table.transact([{ kind: 'put', item }]);
  }

  /** Deletes a bucket, as its expiry does. */
  async expire({ entity = 'key-1', resource = 'gpt-4', shard = 0 }: Use = {}): Promise<void> {
    const key = bucketKey({ namespaceId: NAMESPACE, entity, resource, shard });
    this.#buckets.delete(`${key.partition}\n${key.sort}`);
    await this.table.deleteAll([key]);
  }

  /** Books what was written, as the aggregator does. */
  async book(steps: readonly BucketStep[], types = this.types): Promise<void> {
    for (const change of reduceSteps(steps, () => this.zone, types)) await this.windows.widen(change);
  }

  /** Writes and books. */
  async use(use: Use): Promise<void> {
    await this.book([await this.write(use)]);
  }

  /** Writes of which the record is lost. */
  async lose(use: Use): Promise<void> {
    await this.write(use);
  }
}
