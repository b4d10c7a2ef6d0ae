import {
  type BucketRef,
  type BucketState,
  type BucketWrite,
  bucketName,
  FIRST_LAYOUT,
  layoutAfter,
  type Move,
  shardCount,
  type WindowType,
  type WireItem,
} from '@millrace/core';
import { type StreamRecord, type UsageWindow, windowsOf } from '@millrace/ledger';
import { MemoryStore } from '@millrace/testing';
import { imageOf } from './bucket-image.js';
import type { Dice } from './dice.js';

const BUCKETS = 37;
const LIMITS = ['rpm', 'tpm', 'images'] as const;
const SECOND_US = 1_000_000;
export const TYPES: readonly WindowType[] = ['hour', 'day', 'week', 'month'];

const ZONES: Readonly<Record<string, string>> = { a: 'Europe/Berlin', b: 'Asia/Kolkata', c: 'UTC' };
export const zoneOf = (namespaceId: string): string => ZONES[namespaceId] ?? 'UTC';

/** What was taken and given back in a window, told by those who did it. */
export type Truth = Map<string, { used: bigint; returned: bigint }>;

/**
 * Buckets in use, for some days in which clocks, a week and a month change: what they do, as a table's stream tells it, and
 * what they say that they do. Items come, expire and come again; limits are dropped and come back; buckets are spread.
 */
export class StreamWorld {
  readonly records: StreamRecord[] = [];
  readonly truth: Truth = new Map();
  readonly store = new MemoryStore();
  readonly #dice: Dice;
  readonly #buckets: readonly Omit<BucketRef, 'shard'>[];
  readonly #windows = new Map<string, readonly UsageWindow[]>();
  readonly #images = new Map<string, WireItem>();
  readonly #layouts = new Map<number, number>();
  /** Friday, 23 October 2026; clocks of Berlin go back on the Sunday. */
  #nowUs = Date.UTC(2026, 9, 23, 12) * 1_000;

  constructor(dice: Dice, count: number) {
    this.#dice = dice;
    this.#buckets = Array.from({ length: BUCKETS }, (_, index) => ({
      namespaceId: 'abc'[index % 3] ?? 'a',
      entity: `key/${index % 9}`,
      resource: `model-${Math.floor(index / 9)}`,
    }));
    const meanUs = (10 * 86_400 * SECOND_US) / count;
    while (this.records.length < count) {
      if (!dice.happens(0.3)) this.#nowUs += dice.integer(1, 2.8 * meanUs);
      this.#event(dice.integer(0, BUCKETS - 1));
    }
  }

  #event(index: number): void {
    const bucket = this.#buckets[index] as Omit<BucketRef, 'shard'>;
    const layout = this.#layouts.get(index) ?? FIRST_LAYOUT;
    const ref = { ...bucket, shard: this.#dice.integer(0, shardCount(layout) - 1) };
    const state = this.store.bucket(ref);
    if (state !== undefined && this.#dice.happens(0.01)) this.#expire(ref, state);
    else if (state !== undefined && ref.shard === 0 && layout < 200 && this.#dice.happens(0.02)) this.#split(index, bucket, state, layout);
    else if (state !== undefined && this.#dice.happens(0.04)) this.#write({ ref, moves: [] });
    else this.#write({ ref, moves: this.#moves(state) });
  }

  #moves(state: BucketState | undefined): readonly Move[] {
    const chosen = LIMITS.filter((limit) => (limit === 'rpm' && !state?.limits.has('rpm')) || this.#dice.happens(0.5));
    const limits = chosen.length === 0 ? (['rpm'] as const) : chosen;
    return limits.map((limit): Move => {
      const held = state?.limits.get(limit);
      const tokens = this.#dice.happens(0.05) ? 0 : this.#dice.integer(1, 5_000);
      if (held === undefined) {
        return this.#dice.happens(0.2) ? { form: 'revive', limit, tokens } : { form: 'idle', limit, tokens, chargeUs: 5, toUs: 0 };
      }
      const { tatUs } = held;
      return this.#dice.pick<Move>([
        [6, { form: 'busy', limit, tokens, chargeUs: 7, fromUs: tatUs }],
        [1, { form: 'idle', limit, tokens, chargeUs: 5, toUs: tatUs }],
        [3, { form: 'credit', limit, tokens, chargeUs: 3 }],
        [0.3, { form: 'rescale', limit, fromTatUs: tatUs, toTatUs: tatUs + 1, scale: '1/1' }],
        [0.2, { form: 'drop', limit, toUs: tatUs }],
      ]);
    });
  }

  /** Spreads a bucket over twice the items: the items that there are keep seeds, the new ones are born of them. */
  #split(index: number, bucket: Omit<BucketRef, 'shard'>, state: BucketState, layout: number): void {
    const count = shardCount(layout);
    const to = layoutAfter(layout, count * 2);
    const limits = [...state.limits.keys()];
    const seeds = new Map([...state.limits].map(([limit, { tatUs, scale }]) => [limit, { tatUs, scale }]));
    this.#write({ ref: { ...bucket, shard: 0 }, moves: [], reshape: { form: 'split', to, limits, absent: [] } });
    for (let shard = count; shard < count * 2; shard += 1) {
      this.#write({ ref: { ...bucket, shard }, moves: [], reshape: { form: 'birth', to, seeds } });
    }
    this.#write({ ref: { ...bucket, shard: 0 }, moves: [], reshape: { form: 'born', limits } });
    this.#layouts.set(index, to);
  }

  #expire(ref: BucketRef, state: BucketState): void {
    this.store.expire(ref);
    this.#record({ oldImage: imageOf(ref, state), isExpiry: true });
    this.#images.delete(bucketName(ref));
    // An item goes a week after it is full; here it is enough that it does not come again at once.
    this.#nowUs += 60 * SECOND_US;
  }

  #write(write: Pick<BucketWrite, 'ref' | 'moves' | 'reshape'>): void {
    const outcome = this.store.apply({ ...write, nowUs: this.#nowUs, ttlSec: Math.ceil(this.#nowUs / SECOND_US) + 700_000 });
    if (outcome.kind === 'refused') throw new Error(`a write of ${bucketName(write.ref)} was refused: the world is wrong`);
    const [name, newImage] = [bucketName(write.ref), imageOf(write.ref, outcome.state)];
    const oldImage = this.#images.get(name);
    this.#images.set(name, newImage);
    this.#record({ ...(oldImage === undefined ? {} : { oldImage }), newImage, isExpiry: false });
    for (const move of write.moves) this.#tell(write.ref, move);
  }

  #tell({ namespaceId, entity, resource }: BucketRef, move: Move): void {
    if (move.form === 'drop' || move.form === 'rescale') return;
    const isBack = move.form === 'credit' || move.form === 'revive';
    for (const { type, startMs } of this.#windowsOf(namespaceId)) {
      const name = truthName(namespaceId, entity, resource, type, startMs, move.limit);
      const told = this.truth.get(name) ?? { used: 0n, returned: 0n };
      this.truth.set(name, told);
      told[isBack ? 'returned' : 'used'] += BigInt(move.tokens);
    }
  }

  /** The windows of now, asked for again only once one of them is over. */
  #windowsOf(namespaceId: string): readonly UsageWindow[] {
    const known = this.#windows.get(namespaceId);
    if (known?.every(({ endMs }) => this.#atMs() < endMs)) return known;
    const windows = windowsOf(this.#atMs(), zoneOf(namespaceId), TYPES);
    this.#windows.set(namespaceId, windows);
    return windows;
  }

  #atMs(): number {
    return Math.floor(this.#nowUs / SECOND_US) * 1_000;
  }

  #record(record: Pick<StreamRecord, 'isExpiry'> & Partial<StreamRecord>): void {
    this.records.push({ eventId: `event-${this.records.length}`, atMs: this.#atMs(), ...record });
  }
}

export function truthName(namespaceId: string, entity: string, resource: string, type: WindowType, startMs: number, limit: string): string {
  return `${namespaceId} ${entity} ${resource} ${type} ${startMs} ${limit}`;
}
