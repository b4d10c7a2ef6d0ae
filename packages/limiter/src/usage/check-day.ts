import { bucketKey, type ItemKey, parseUsageKey, usageKey, usagePartition, usageSort, type WindowType } from '@millrace/core';
import { type CountedState, type Retention, type UsageWindowItem, windowOf } from '@millrace/ledger';
import type { ItemTable } from '../admin/item-table.js';
import { countedStates, inOrder } from './check-books.js';
import { type ExamineOptions, examine, notBooked, type UsageFinding } from './examine.js';
import { readWindows, windowOfItem } from './read-windows.js';

/** What the ledger is checked by. */
export interface CheckSettings {
  /** The types of windows that the aggregator keeps; days are among them. */
  readonly types: readonly WindowType[];
  /** For how long it keeps them. */
  readonly retention: Retention;
}

/** What it takes to check a day. */
export interface CheckParts extends CheckSettings {
  readonly items: Pick<ItemTable, 'get' | 'query' | 'indexed'>;
  readonly namespaceId: string;
  readonly nowMs: () => number;
  /** The zone in which the days of the namespace begin. */
  readonly zone: () => Promise<string>;
}

/** A day in which a resource was used. */
export interface DayOfResource {
  readonly resource: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** What the books of an entity on a resource came to, for one day. */
export interface CheckedDay {
  /** What is wrong in this day, and in no other. */
  readonly found: readonly UsageFinding[];
  /** What its bucket has counted since this day, the last that has any of it, and no window has: how many limits of items. */
  readonly inFlight: number;
}

const DAY_MS = 86_400_000;
const PAGE_SIZE = 1_000;
const OLDER_PER_PAGE = 100;
/** The days before that are read at once with the day: most buckets that are older than their last use have expired. */
const DAYS_BEFORE = 7;
const NO_STATES: ReadonlyMap<number, CountedState> = new Map();

/**
 * Looks at one day of an entity's books on a resource: whether it joins what was used before it, whether its hours are those of the day,
 * and whether the bucket has counted anything behind it that never came. Nobody must write to the day any more, so nothing is looked at
 * twice. Two Queries of windows and one read of the bucket's items: about five read units; one Query more where the entity rested for a
 * week before the day, and one where the bucket is in use right now.
 *
 * `key` is that of a window of the day, as the index has it. Of several windows of an entity (shards, eras) only the
 * first stands for the entity; for all others there is no answer, so whoever goes over the index is told of each once.
 */
export async function checkDay(parts: CheckParts, day: DayOfResource, key: ItemKey): Promise<CheckedDay | undefined> {
  const ref = parseUsageKey(key.partition, key.sort);
  if (ref === undefined) throw new Error(`"${key.sort}" names no window`);
  const books = new Books(parts, day, ref.bucket.entity);
  const seen = await books.days();
  const own = seen.filter(({ ref: { startMs } }) => startMs === day.startMs);
  if (!own.some((window) => sortOf(window) === key.sort) || own.some((window) => sortOf(window) < key.sort)) return undefined;
  const [zone, hours, older, states] = await Promise.all([parts.zone(), books.hours(), books.older(seen, own), books.states(own)]);
  // What the bucket had counted when it was read may have been booked just before.
  const isBooked = [...notBooked(seen, states, ['day']).values()].every(({ size }) => size === 0);
  const days = isBooked ? seen : await books.days();

  const options = { zone, nowMs: parts.nowMs(), retention: parts.retention };
  const tellers = new Tellers(days, books.fromMs);
  const isTold = (shard: number, startMs: number): boolean => tellers.of(shard, startMs) === day.startMs;
  const joins = examine([...older, ...days], states, { ...options, types: ['day'], sinceMs: books.fromMs }).map(({ finding }) => finding);
  const within = parts.types.includes('hour') ? withinDay([...own, ...hours], options) : [];
  const found = [...joins.filter(({ shard, window }) => isTold(shard, window.getTime())), ...within].sort(inOrder);
  return { found, inFlight: inFlightOf(days, states, { zone, joins, isTold }) };
}

/** Which day tells what lies in one: that day, unless the bucket item has no window in it (all of its first use was lost); then its last. */
class Tellers {
  readonly #starts = new Map<number, Set<number>>();
  readonly #fromMs: number;

  constructor(days: readonly UsageWindowItem[], fromMs: number) {
    this.#fromMs = fromMs;
    for (const { ref } of days) {
      const starts = this.#starts.get(ref.bucket.shard) ?? new Set();
      this.#starts.set(ref.bucket.shard, starts.add(ref.startMs));
    }
  }

  /** Undefined for what lies before all that was read: whether it is missing cannot be told from that. */
  of(shard: number, startMs: number): number | undefined {
    const starts = this.#starts.get(shard);
    if (starts === undefined || startMs < this.#fromMs) return undefined;
    return starts.has(startMs) ? startMs : Math.max(...starts);
  }
}

/** Whether the hours join each other, and are those of the day. Where the day itself does not join, only the day tells it. */
function withinDay(windows: readonly UsageWindowItem[], options: Omit<ExamineOptions, 'types' | 'sinceMs'>): readonly UsageFinding[] {
  return examine(windows, NO_STATES, { ...options, types: ['hour', 'day'], sinceMs: Number.POSITIVE_INFINITY })
    .map(({ finding }) => finding)
    .filter(({ type, kind }) => type === 'hour' || kind === 'nesting' || kind === 'sum');
}

/** What is read of an entity's books on a resource. */
class Books {
  readonly fromMs: number;
  readonly #parts: CheckParts;
  readonly #day: DayOfResource;
  readonly #entity: string;

  constructor(parts: CheckParts, day: DayOfResource, entity: string) {
    [this.#parts, this.#day, this.#entity] = [parts, day, entity];
    this.fromMs = day.startMs - DAYS_BEFORE * DAY_MS;
  }

  /** The days from a week before until now: what came later tells what is behind the day. */
  days(): Promise<readonly UsageWindowItem[]> {
    return this.#read('day', this.fromMs, this.#parts.nowMs() + DAY_MS);
  }

  async hours(): Promise<readonly UsageWindowItem[]> {
    return this.#parts.types.includes('hour') ? this.#read('hour', this.#day.startMs, this.#day.endMs) : [];
  }

  async states(own: readonly UsageWindowItem[]): Promise<ReadonlyMap<number, CountedState>> {
    const buckets = new Map(own.map(({ ref: { bucket } }) => [bucket.shard, bucket]));
    const items = await this.#parts.items.get([...buckets.values()].map(bucketKey));
    return countedStates(items.filter((item) => item !== undefined));
  }

  /** The last windows before those that were read, as far as something of the day must join them. */
  async older(seen: readonly UsageWindowItem[], own: readonly UsageWindowItem[]): Promise<readonly UsageWindowItem[]> {
    const wanted = this.#unjoined(seen, own);
    const [older, resource]: [UsageWindowItem[], string] = [[], this.#day.resource];
    const query = {
      partition: usagePartition(this.#parts.namespaceId, this.#entity),
      from: usageSort('day', resource),
      to: usageSort('day', resource, this.fromMs),
      newestFirst: true,
      pageSize: OLDER_PER_PAGE,
    };
    let after: string | undefined;
    while (wanted.size > 0) {
      const page = await this.#parts.items.query({ ...query, ...(after === undefined ? {} : { after }) });
      for (const window of page.items.map(windowOfItem)) {
        older.push(window);
        for (const limit of window.limits.keys()) wanted.delete(placeOf(window, limit));
      }
      if (page.next === undefined) break;
      after = page.next;
    }
    return older;
  }

  /** Limits of the day that began before what was read, and of which no earlier window was. */
  #unjoined(seen: readonly UsageWindowItem[], own: readonly UsageWindowItem[]): Set<string> {
    const earlier = seen.filter(({ ref: { startMs } }) => startMs < this.#day.startMs);
    const known = new Set(earlier.flatMap((window) => [...window.limits.keys()].map((limit) => placeOf(window, limit))));
    const wanted = new Set<string>();
    for (const window of [...own].sort((a, b) => a.ref.eraUs - b.ref.eraUs)) {
      for (const [limit, { isBirth }] of window.limits) {
        const place = placeOf(window, limit);
        if (!known.has(place) && !isBirth && window.ref.eraUs < this.fromMs * 1_000) wanted.add(place);
        known.add(place);
      }
    }
    return wanted;
  }

  async #read(type: WindowType, fromMs: number, toMs: number): Promise<readonly UsageWindowItem[]> {
    const windows: UsageWindowItem[] = [];
    const range = { entity: this.#entity, resource: this.#day.resource, type, fromMs, toMs };
    for await (const window of readWindows(this.#parts, range, PAGE_SIZE)) windows.push(window);
    return windows;
  }
}

function sortOf({ ref }: UsageWindowItem): string {
  return usageKey(ref).sort;
}

function placeOf({ ref: { bucket } }: UsageWindowItem, limit: string): string {
  return `${bucket.shard} ${limit}`;
}

interface Behind {
  readonly zone: string;
  /** What was found of the days: what is lost at their end is not on its way. */
  readonly joins: readonly UsageFinding[];
  readonly isTold: (shard: number, startMs: number) => boolean;
}

/** It belongs to the last day that has the limit, so that a limit is told by one day, however many are looked at. */
function inFlightOf(days: readonly UsageWindowItem[], states: ReadonlyMap<number, CountedState>, { zone, joins, isTold }: Behind): number {
  const lost = new Set(joins.flatMap(({ kind, shard, limit }) => (kind === 'end' ? [`${shard} ${limit}`] : [])));
  const behind = [...notBooked(days, states, ['day'])].flatMap(([shard, steps]) =>
    [...steps].filter(([limit, { isBirth }]) => {
      const having = days.filter((window) => window.ref.bucket.shard === shard && window.limits.has(limit));
      const bornMs = (states.get(shard)?.eraUs ?? 0) / 1_000;
      const startMs = isBirth ? windowOf(Math.floor(bornMs), zone, 'day').startMs : Math.max(...having.map(({ ref }) => ref.startMs));
      return isTold(shard, startMs) && !lost.has(`${shard} ${limit}`);
    }),
  );
  return behind.length;
}
