import { bucketName, type WindowRef, type WindowType } from '@millrace/core';
import { mergeChange, type UsageWindowItem, type WindowChange } from './change.js';
import type { LimitStep } from './step.js';
import { windowOf } from './windows.js';

/** A window that lacks what a longer one around it has, or a shorter one within it. Booking `change` makes the two agree. */
export interface NestingGap {
  /** The window that lacks something; it may not be there at all. */
  readonly ref: WindowRef;
  readonly limit: string;
  readonly change: WindowChange;
}

/** Which windows are compared: those of the longer type that begin at `sinceMs` or later, with the shorter ones within them. */
export interface Nesting {
  readonly part: WindowType;
  readonly whole: Exclude<WindowType, 'hour'>;
  readonly zone: string;
  readonly sinceMs: number;
  readonly nowMs: number;
}

interface Nest {
  readonly ref: WindowRef;
  whole: UsageWindowItem | undefined;
  readonly parts: UsageWindowItem[];
}

/**
 * What shorter windows know and the longer one around them does not, and the other way round. The windows of a record are
 * written side by side, and a record that was given up in between has only some of them: the others then tell of it.
 *
 * What only the longer window knows goes into the first shorter one, if it was before it, and else into the last; where there
 * is none, into a new one at the end, or at `nowMs` if that is earlier.
 */
export function findNestingGaps(windows: Iterable<UsageWindowItem>, nesting: Nesting): readonly NestingGap[] {
  return nestsOf(windows, nesting).flatMap((nest) => {
    const { ref, whole, parts } = nest;
    const union =
      parts.length === 0 ? undefined : parts.reduce<WindowChange>((sum, part) => mergeChange(sum, part), whereOf(parts[0], ref));
    const limits = new Set([...(whole?.limits.keys() ?? []), ...(union?.limits.keys() ?? [])]);
    return [...limits].flatMap((limit) => gapsOfLimit(nest, limit, union, nesting));
  });
}

function whereOf(window: UsageWindowItem | undefined, ref: WindowRef): WindowChange {
  return { ref, seq: window?.seq ?? { from: 0, to: 0 }, limits: window?.limits ?? new Map() };
}

function nestsOf(windows: Iterable<UsageWindowItem>, { part, whole, zone, sinceMs }: Nesting): readonly Nest[] {
  const nests = new Map<string, Nest>();
  for (const window of windows) {
    const { ref } = window;
    if (ref.type !== part && ref.type !== whole) continue;
    const startMs = ref.type === whole ? ref.startMs : windowOf(ref.startMs, zone, whole).startMs;
    if (startMs < sinceMs) continue;
    const name = `${bucketName(ref.bucket)}/${ref.eraUs}/${startMs}`;
    const nest = nests.get(name) ?? { ref: { ...ref, type: whole, startMs }, whole: undefined, parts: [] };
    nests.set(name, nest);
    if (ref.type === whole) nest.whole = window;
    else nest.parts.push(window);
  }
  for (const { parts } of nests.values()) parts.sort((a, b) => a.ref.startMs - b.ref.startMs);
  return [...nests.values()];
}

function gapsOfLimit({ ref, whole, parts }: Nest, limit: string, union: WindowChange | undefined, nesting: Nesting): readonly NestingGap[] {
  const [outer, inner] = [whole?.limits.get(limit), union?.limits.get(limit)];
  const gaps: NestingGap[] = [];
  const gap = (at: WindowRef, step: LimitStep, seq: WindowChange['seq']): void => {
    gaps.push({ ref: at, limit, change: { ref: at, seq, limits: new Map([[limit, step]]) } });
  };
  if (inner !== undefined && union !== undefined && (outer === undefined || !isWithin(inner, outer))) gap(ref, inner, union.seq);
  if (outer === undefined || whole === undefined) return gaps;
  const having = parts.filter(({ limits }) => limits.has(limit));
  const [first, last] = [having[0], having.at(-1)];
  if (first === undefined || last === undefined || inner === undefined) {
    gap(lastPart(ref, nesting), outer, whole.seq);
    return gaps;
  }
  const lower = lowerBound(outer, inner);
  if (lower !== undefined) gap(first.ref, lower, { from: Math.min(whole.seq.from, first.seq.from), to: first.seq.to });
  const upper = upperBound(outer, inner);
  if (upper !== undefined) gap(last.ref, upper, { from: last.seq.from, to: Math.max(whole.seq.to, last.seq.to) });
  return gaps;
}

function lastPart(ref: WindowRef, { part, zone, whole, nowMs }: Nesting): WindowRef {
  const { startMs, endMs } = windowOf(ref.startMs, zone, whole);
  const atMs = Math.max(startMs, Math.min(endMs - 1, nowMs));
  return { ...ref, type: part, startMs: windowOf(atMs, zone, part).startMs };
}

function isWithin(inner: LimitStep, outer: LimitStep): boolean {
  const within = (part: LimitStep['used'], whole: LimitStep['used']): boolean => part.from >= whole.from && part.to <= whole.to;
  return within(inner.used, outer.used) && within(inner.returned, outer.returned);
}

/** What the whole has before the first part, as a step up to where that begins. */
function lowerBound(outer: LimitStep, inner: LimitStep): LimitStep | undefined {
  if (outer.used.from >= inner.used.from && outer.returned.from >= inner.returned.from) return undefined;
  const used = { from: outer.used.from, to: inner.used.from };
  return { used, returned: { from: outer.returned.from, to: inner.returned.from }, isBirth: outer.isBirth };
}

/** What the whole has behind the last part, as a step from where that ends. */
function upperBound(outer: LimitStep, inner: LimitStep): LimitStep | undefined {
  if (outer.used.to <= inner.used.to && outer.returned.to <= inner.returned.to) return undefined;
  const used = { from: inner.used.to, to: outer.used.to };
  return { used, returned: { from: inner.returned.to, to: outer.returned.to }, isBirth: false };
}
