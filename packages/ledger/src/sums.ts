import { bucketName, type WindowRef, type WindowType } from '@millrace/core';
import { chainsOf } from './chains.js';
import type { UsageWindowItem } from './change.js';
import type { CountedState } from './counted-state.js';
import { haveBegunAnew, lower } from './counters.js';
import type { LimitStep } from './step.js';
import { totalUsage } from './usage.js';
import { WindowMemory } from './window-memory.js';

/** A window whose shorter ones do not add up to it. */
export interface Mismatch {
  /** The longer window, or where it should be. */
  readonly ref: WindowRef;
  readonly limit: string;
  /** The net usage by the longer window itself. */
  readonly whole: bigint;
  /** The net usage by the shorter windows within it. */
  readonly parts: bigint;
}

/**
 * Where the windows of a shorter type do not add up to those of a longer one, of each bucket item and era. Both are of the
 * same stretch of time, which begins and ends where windows of the longer type do. Weeks are no part of months.
 */
export function findMismatches(
  parts: Iterable<UsageWindowItem>,
  wholes: Iterable<UsageWindowItem>,
  zone: string,
  type: Exclude<WindowType, 'hour'>,
): readonly Mismatch[] {
  const places = new Map<string, { readonly ref: WindowRef; readonly parts: UsageWindowItem[]; whole?: UsageWindowItem }>();
  const placeOf = (ref: WindowRef) => {
    const name = `${bucketName(ref.bucket)}/${ref.eraUs}/${ref.startMs}`;
    const place = places.get(name) ?? { ref, parts: [] };
    places.set(name, place);
    return place;
  };
  const memory = new WindowMemory();
  for (const whole of wholes) placeOf(whole.ref).whole = whole;
  for (const part of parts) placeOf({ ...part.ref, type, startMs: memory.windowOf(part.ref.startMs, zone, type).startMs }).parts.push(part);
  return [...places.values()].flatMap((place) => {
    const [whole, sum] = [totalUsage(place.whole === undefined ? [] : [place.whole]), totalUsage(place.parts)];
    return [...new Set([...whole.keys(), ...sum.keys()])]
      .map((limit) => ({ ref: place.ref, limit, whole: whole.get(limit)?.net ?? 0n, parts: sum.get(limit)?.net ?? 0n }))
      .filter((found) => found.whole !== found.parts);
  });
}

/**
 * What a bucket item has counted and the ledger has not: what is still on its way, or, if nothing is, lost. `windows` are of
 * one type of this item, the last of them at least. A limit of which they know nothing is told from its base.
 */
export function unbooked(windows: Iterable<UsageWindowItem>, state: Pick<CountedState, 'limits'>): ReadonlyMap<string, LimitStep> {
  const known = new Map<string, LimitStep>();
  for (const { limits } of chainsOf(windows).flat()) for (const [limit, step] of limits) known.set(limit, step);
  const missing = new Map<string, LimitStep>();
  for (const [limit, { used, returned }] of state.limits) {
    const last = known.get(limit);
    const booked = last === undefined ? undefined : { used: last.used.to, returned: last.returned.to };
    const isBirth = booked === undefined || haveBegunAnew(booked, { used, returned });
    const base = lower(used, returned);
    const from = isBirth ? { used: base, returned: base } : booked;
    if (from.used === used && from.returned === returned) continue;
    missing.set(limit, { used: { from: from.used, to: used }, returned: { from: from.returned, to: returned }, isBirth });
  }
  return missing;
}
