import { type BucketRef, type Move, WINDOW_TYPES, type WindowType } from '@millrace/core';
import { type BucketStep, reduceSteps, type StreamRecord, stepOf, totalUsage, type UsageWindowItem } from '@millrace/ledger';
import { MemoryStore, MemoryWindowStore } from '@millrace/testing';
import { imageOf } from './bucket-image.js';

/** One bucket item whose writes a test chooses, and the ledger of what its stream delivers. */
export class LedgerWorld {
  readonly buckets = new MemoryStore();
  readonly store = new MemoryWindowStore();
  readonly ref: BucketRef;
  readonly #zone: string;

  constructor(zone = 'UTC', shard = 0) {
    this.#zone = zone;
    this.ref = { namespaceId: 'n1', entity: 'key-1', resource: 'gpt-4', shard };
  }

  /** Writes to the bucket; gives the record of it. */
  write(at: string, moves: readonly Move[], configVersion?: number): StreamRecord {
    const [old, atMs] = [this.buckets.bucket(this.ref), Date.parse(at)];
    const write = { ref: this.ref, nowUs: atMs * 1_000, ttlSec: 9, moves, ...(configVersion === undefined ? {} : { configVersion }) };
    const outcome = this.buckets.apply(write);
    if (outcome.kind === 'refused') throw new Error(`the write at ${at} was refused`);
    const oldImage = old === undefined ? {} : { oldImage: imageOf(this.ref, old) };
    return { eventId: at, atMs, ...oldImage, newImage: imageOf(this.ref, outcome.state), isExpiry: false };
  }

  take(at: string, tokens: number, limit = 'rpm'): StreamRecord {
    const isHeld = this.buckets.bucket(this.ref)?.limits.has(limit) ?? false;
    const form = isHeld ? ({ form: 'busy', fromUs: 0 } as const) : ({ form: 'idle', toUs: 0 } as const);
    return this.write(at, [{ ...form, limit, tokens, chargeUs: 5 }]);
  }

  giveBack(at: string, tokens: number, limit = 'rpm'): StreamRecord {
    return this.write(at, [{ form: 'credit', limit, tokens, chargeUs: 5 }]);
  }

  drop(at: string, limit: string): StreamRecord {
    return this.write(at, [{ form: 'drop', limit, toUs: Number.MAX_SAFE_INTEGER }]);
  }

  expire(at: string): StreamRecord {
    const old = this.buckets.bucket(this.ref);
    this.buckets.expire(this.ref);
    return { eventId: at, atMs: Date.parse(at), ...(old === undefined ? {} : { oldImage: imageOf(this.ref, old) }), isExpiry: true };
  }

  async deliver(...records: readonly StreamRecord[]): Promise<void> {
    const steps = records.map(stepOf).filter((step): step is BucketStep => step !== undefined);
    for (const change of reduceSteps(steps, () => this.#zone, WINDOW_TYPES)) await this.store.widen(change);
  }

  windows(type?: WindowType): readonly UsageWindowItem[] {
    return this.store.windows().filter(({ ref }) => type === undefined || ref.type === type);
  }

  /** The net usage of a limit by windows of a type: when each begins, and how much. */
  usage(type: WindowType, limit = 'rpm'): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const window of this.windows(type)) {
      const start = new Date(window.ref.startMs).toISOString().slice(0, 16);
      sums[start] = (sums[start] ?? 0) + Number(totalUsage([window]).get(limit)?.net ?? 0n);
    }
    return sums;
  }
}
