import type { WindowRef } from '@millrace/core';
import { higher, lower } from './counters.js';
import type { LimitStep, Span } from './step.js';

/**
 * What a window is to hold at least: of each limit the smallest and the largest counter of some of its records. A stored
 * window says the same of all of its records, so the two are one type, and merge by {@link mergeChange}.
 */
export interface WindowChange {
  readonly ref: WindowRef;
  readonly seq: Span<number>;
  readonly limits: ReadonlyMap<string, LimitStep>;
}

/** What an item of a usage window holds. */
export type UsageWindowItem = WindowChange;

/**
 * Both together: the smaller `from` and the larger `to` of each counter. It does not care about order, grouping or
 * repetition, and that is all that makes the ledger exact.
 */
export function mergeChange(a: WindowChange, b: WindowChange): WindowChange {
  return { ref: a.ref, seq: mergeSeq(a.seq, b.seq), limits: mergeLimits(a.limits, b.limits) };
}

function mergeSeq(a: Span<number>, b: Span<number>): Span<number> {
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) };
}

function mergeLimits(a: ReadonlyMap<string, LimitStep>, b: ReadonlyMap<string, LimitStep>): ReadonlyMap<string, LimitStep> {
  const limits = new Map(a);
  for (const [limit, step] of b) {
    const known = limits.get(limit);
    limits.set(limit, known === undefined ? step : mergeLimit(known, step));
  }
  return limits;
}

function mergeLimit(a: LimitStep, b: LimitStep): LimitStep {
  const [used, returned] = [mergeSpan(a.used, b.used), mergeSpan(a.returned, b.returned)];
  // The flag belongs to the `from` that it came with, and is lost with it.
  const isBorn = (step: LimitStep): boolean => step.isBirth && step.used.from === used.from && step.returned.from === returned.from;
  return { used, returned, isBirth: isBorn(a) || isBorn(b) };
}

function mergeSpan(a: Span<bigint>, b: Span<bigint>): Span<bigint> {
  return { from: lower(a.from, b.from), to: higher(a.to, b.to) };
}

/** True where a window already says all that a change says. */
export function holdsChange(known: WindowChange, change: WindowChange): boolean {
  const { seq, limits } = mergeChange(known, change);
  return seq.from === known.seq.from && seq.to === known.seq.to && areSame(limits, known.limits);
}

function areSame(a: ReadonlyMap<string, LimitStep>, b: ReadonlyMap<string, LimitStep>): boolean {
  if (a.size !== b.size) return false;
  for (const [limit, step] of a) {
    const other = b.get(limit);
    if (other === undefined || !isSame(step, other)) return false;
  }
  return true;
}

function isSame(a: LimitStep, b: LimitStep): boolean {
  const same = (one: Span<bigint>, other: Span<bigint>): boolean => one.from === other.from && one.to === other.to;
  return same(a.used, b.used) && same(a.returned, b.returned) && a.isBirth === b.isBirth;
}
