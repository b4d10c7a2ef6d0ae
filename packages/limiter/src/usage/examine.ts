import { type BucketRef, type UsageSource, usageKey, WINDOW_TYPES, type WindowRef, type WindowType } from '@millrace/core';
import {
  type CountedState,
  expiresSec,
  findGaps,
  findMismatches,
  findNestingGaps,
  type Gap,
  mergeChange,
  type Nesting,
  narrowed,
  type Retention,
  repairsFor,
  type UsageWindowItem,
  unbooked,
  usageOf,
  type WindowChange,
  windowOf,
} from '@millrace/ledger';
import { inNumbers, type LimitUsage } from './usage-parts.js';

/**
 * What is wrong with the ledger at a place.
 *
 * | kind | what is wrong | repaired |
 * | --- | --- | --- |
 * | `gap` | records between two windows are missing | into the later window |
 * | `beginning` | the first records of a bucket are missing | into the first window there is |
 * | `end` | the last records of a bucket, or all, are missing, and older than the stream keeps any | into the last window there is, or that of its beginning |
 * | `nesting` | a window lacks what a longer one around it has, or a shorter one within it | into that window |
 * | `overlap` | two windows count the same: records came after their gap had been booked | out of the later window |
 * | `sum` | shorter windows do not add up to a longer one, and nothing of the above says why | no |
 */
export type FindingKind = 'gap' | 'beginning' | 'end' | 'nesting' | 'overlap' | 'sum';

/** Something that is wrong, with its amount and its place. Amounts are missing tokens; of an overlap they are below 0. */
export interface UsageFinding extends LimitUsage {
  readonly kind: FindingKind;
  readonly entity: string;
  readonly resource: string;
  readonly limit: string;
  readonly type: WindowType;
  /** Which item of the bucket: 0 where it is not spread. */
  readonly shard: number;
  /** The start of the window that lacks it, and into which it is booked. */
  readonly window: Date;
  /** The start of the last window before it that has the limit. */
  readonly after?: Date;
}

/** A finding with what repairs it. */
export interface Examined {
  readonly finding: UsageFinding;
  /** What is the same if and only if it is the same finding, looked at again. */
  readonly identity: string;
  readonly widen?: WindowChange;
  readonly narrow?: Gap;
}

export interface ExamineOptions {
  readonly zone: string;
  readonly nowMs: number;
  /** From when on the ledger is kept. */
  readonly sinceMs: number;
  readonly types: readonly WindowType[];
  readonly retention: Retention;
  /** Whose books they are. Without it nothing is told of an item that has no window at all: nobody could say into which to book it. */
  readonly books?: { readonly bucket: Omit<BucketRef, 'shard'>; readonly source: UsageSource };
}

const MISSING: ReadonlySet<FindingKind> = new Set<FindingKind>(['gap', 'beginning', 'end', 'nesting']);

/** Whether records are missing where something of a kind was found. */
export function isMissing({ kind }: Pick<UsageFinding, 'kind'>): boolean {
  return MISSING.has(kind);
}

/** A record is in the stream for a day; one that has not been booked by then never will be. */
const STREAM_SEC = 86_400;

/** Looks at all windows of an entity and resource, and at its bucket's items by shard. It decides; nothing is read or written. */
export function examine(
  windows: readonly UsageWindowItem[],
  states: ReadonlyMap<number, CountedState>,
  options: ExamineOptions,
): readonly Examined[] {
  const kept = new Kept(windows.filter(({ ref }) => !isExpired(ref, options)));
  const found: Examined[] = [];
  const nestings = nestingsOf(options);
  // What one type knows may reach another one only by way of a third.
  for (const nesting of [...nestings, ...[...nestings].reverse(), ...nestings]) {
    for (const { limit, change } of findNestingGaps(kept.all(), nesting)) found.push(kept.widen('nesting', change, limit));
  }
  for (const type of options.types) {
    const sinceMs = Math.max(options.sinceMs, 1, cutoffMs(type, options));
    for (const gap of findGaps(kept.of(type), sinceMs)) found.push(...kept.close(gap));
  }
  for (const [shard, state] of states) {
    if (state.writtenBeforeSec + STREAM_SEC >= options.nowMs / 1_000) continue;
    found.push(...bookEnd(kept, shard, state, options));
  }
  for (const nesting of nestings) {
    const within = ({ ref }: UsageWindowItem): boolean => windowOf(ref.startMs, options.zone, nesting.whole).startMs >= nesting.sinceMs;
    const [parts, wholes] = [kept.of(nesting.part).filter(within), kept.of(nesting.whole).filter(within)];
    for (const { ref, limit, whole, parts: sum } of findMismatches(parts, wholes, options.zone, nesting.whole)) {
      const amount = { used: 0n, returned: 0n, net: whole - sum };
      found.push({ finding: findingOf('sum', ref, limit, amount), identity: `sum ${nameOf(ref)} ${limit} ${whole - sum}` });
    }
  }
  return found;
}

/** What the items of a bucket have counted and no window of theirs has, by shard. */
export function notBooked(windows: readonly UsageWindowItem[], states: ReadonlyMap<number, CountedState>, types: readonly WindowType[]) {
  // The longest windows are kept the longest.
  const longest = [...WINDOW_TYPES].reverse().find((type) => types.includes(type));
  return new Map(
    [...states].map(([shard, state]) => {
      const own = windows.filter(({ ref }) => ref.type === longest && ref.bucket.shard === shard);
      return [shard, unbooked(own, state)] as const;
    }),
  );
}

/** The windows as they would be if all that was found so far were repaired. */
class Kept {
  readonly #windows: Map<string, UsageWindowItem>;

  constructor(windows: readonly UsageWindowItem[]) {
    this.#windows = new Map(windows.map((window) => [nameOf(window.ref), window]));
  }

  all(): readonly UsageWindowItem[] {
    return [...this.#windows.values()];
  }

  of(type: WindowType): readonly UsageWindowItem[] {
    return this.all().filter(({ ref }) => ref.type === type);
  }

  widen(kind: FindingKind, change: WindowChange, limit: string, after?: WindowRef): Examined {
    const known = this.#windows.get(nameOf(change.ref));
    const merged = known === undefined ? change : mergeChange(known, change);
    this.#windows.set(nameOf(change.ref), merged);
    return { ...examined(kind, change.ref, limit, known, merged, after), widen: change };
  }

  close(gap: Gap): readonly Examined[] {
    if (gap.kind !== 'overlap') {
      return repairsFor([gap]).map((change) => this.widen(gap.kind === 'between' ? 'gap' : 'beginning', change, gap.limit, gap.before));
    }
    const known = this.#windows.get(nameOf(gap.after));
    const narrow = known === undefined ? undefined : narrowed(known, [gap]);
    if (known === undefined || narrow === undefined) return [];
    this.#windows.set(nameOf(gap.after), narrow);
    return [{ ...examined('overlap', gap.after, gap.limit, known, narrow, gap.before), narrow: gap }];
  }
}

/** Where the last records of a bucket are missing: they go into the last window that has the limit, or, where none has, into that of its beginning. */
function bookEnd(kept: Kept, shard: number, state: CountedState, options: ExamineOptions): readonly Examined[] {
  const { types, zone } = options;
  const eraUs = state.eraUs ?? 0;
  const unknown = itemWithoutWindows(kept, shard, eraUs, options);
  return types.flatMap((type) => {
    const own = kept.of(type).filter(({ ref }) => ref.bucket.shard === shard);
    const item = own[0]?.ref ?? unknown;
    if (item === undefined) return [];
    return [...unbooked(own, state)].flatMap(([limit, step]): readonly Examined[] => {
      const latest = own
        .filter(({ limits }) => limits.has(limit))
        .sort((a, b) => b.ref.eraUs - a.ref.eraUs || b.ref.startMs - a.ref.startMs)[0];
      const born = { ...item, type, eraUs, startMs: windowOf(Math.floor(eraUs / 1_000), zone, type).startMs };
      const at = step.isBirth || latest === undefined ? born : latest.ref;
      if (isExpired(at, options)) return [];
      const seq = { from: latest?.seq.to ?? state.seq, to: state.seq };
      return [kept.widen('end', { ref: at, seq, limits: new Map([[limit, step]]) }, limit, latest?.ref)];
    });
  });
}

/** An item of which nothing was ever booked, all that it counted being lost; unless it is older than the ledger, which then need not know it. */
function itemWithoutWindows(
  kept: Kept,
  shard: number,
  eraUs: number,
  { books, sinceMs }: ExamineOptions,
): Pick<WindowRef, 'bucket' | 'source'> | undefined {
  if (books === undefined || eraUs < Math.max(sinceMs, 1) * 1_000) return undefined;
  if (kept.all().some(({ ref }) => ref.bucket.shard === shard)) return undefined;
  return { bucket: { ...books.bucket, shard }, source: books.source };
}

function examined(
  kind: FindingKind,
  ref: WindowRef,
  limit: string,
  before: UsageWindowItem | undefined,
  after: WindowChange,
  place: WindowRef | undefined,
): Omit<Examined, 'widen' | 'narrow'> {
  const [old, step] = [before?.limits.get(limit), after.limits.get(limit)];
  const was = old === undefined ? { used: 0n, returned: 0n } : usageOf(old);
  const is = step === undefined ? { used: 0n, returned: 0n } : usageOf(step);
  const [used, returned] = [is.used - was.used, is.returned - was.returned];
  const finding = findingOf(kind, ref, limit, { used, returned, net: used - returned }, place);
  // The end that has moved: the other one of a window that is in use moves by itself.
  const moved = [
    old?.used.from === step?.used.from && old?.returned.from === step?.returned.from ? '' : `${step?.used.from} ${step?.returned.from}`,
    old?.used.to === step?.used.to && old?.returned.to === step?.returned.to ? '' : `${step?.used.to} ${step?.returned.to}`,
  ];
  return { finding, identity: [kind, nameOf(ref), limit, used, returned, ...moved].join(' ') };
}

function findingOf(
  kind: FindingKind,
  { bucket, type, startMs }: WindowRef,
  limit: string,
  amount: ReturnType<typeof usageOf>,
  after?: WindowRef,
): UsageFinding {
  const { entity, resource, shard } = bucket;
  const place = after === undefined ? {} : { after: new Date(after.startMs) };
  return { kind, entity, resource, limit, type, shard, window: new Date(startMs), ...place, ...inNumbers(amount) };
}

/** Which types are compared with which: each with the next longer one that is kept, days with weeks and months. */
function nestingsOf(options: ExamineOptions): readonly Nesting[] {
  const { types, zone, nowMs } = options;
  const pairs: readonly (readonly [WindowType, Nesting['whole']])[] = types.includes('day')
    ? [
        ['hour', 'day'],
        ['day', 'week'],
        ['day', 'month'],
      ]
    : [
        ['hour', 'week'],
        ['hour', 'month'],
      ];
  return pairs
    .filter(([part, whole]) => types.includes(part) && types.includes(whole))
    .map(([part, whole]) => {
      const oldestMs = Math.max(cutoffMs(part, options), cutoffMs(whole, options), 0);
      const first = windowOf(oldestMs, zone, whole);
      return { part, whole, zone, nowMs, sinceMs: first.startMs === oldestMs ? oldestMs : first.endMs };
    });
}

/** Windows that begin earlier may have expired. */
function cutoffMs(type: WindowType, { nowMs, retention }: Pick<ExamineOptions, 'nowMs' | 'retention'>): number {
  const days = retention[type];
  return days === undefined ? 0 : nowMs - days * 86_400_000;
}

function isExpired(ref: WindowRef, { nowMs, retention }: Pick<ExamineOptions, 'nowMs' | 'retention'>): boolean {
  const expires = expiresSec(ref, retention);
  return expires !== undefined && expires <= nowMs / 1_000;
}

function nameOf(ref: WindowRef): string {
  const { partition, sort } = usageKey(ref);
  return `${partition} ${sort}`;
}
