import type { WindowRef } from '@millrace/core';
import { chainsOf } from './chains.js';
import type { UsageWindowItem } from './change.js';
import { type Counters, haveBegunAnew, lower, SECOND_OF_BASE } from './counters.js';
import type { LimitStep, Span } from './step.js';

/**
 * Two windows that do not join: records are missing between them, or are counted twice.
 *
 * | kind | what is wrong | how it comes about |
 * | --- | --- | --- |
 * | between | a window begins above where the one before it ended | records were lost |
 * | beginning | the first window of a limit does not begin where its counters did | the first records were lost |
 * | overlap | a window begins below where the one before it ended | records that were lost came after the gap was booked |
 */
export interface Gap {
  readonly kind: 'between' | 'beginning' | 'overlap';
  readonly limit: string;
  /** The last window before it that has the limit; absent at a beginning. */
  readonly before?: WindowRef;
  /** The first window after it: what is missing is booked into this one. */
  readonly after: WindowRef;
  /** What is missing, from where to where; of an overlap what is counted twice, with `to` below `from`. */
  readonly missing: LimitStep;
  /** The numbers of the writes that it lies between. */
  readonly seq: Span<number>;
}

const COUNTS_PER_US = 1_000n;

/**
 * Where the windows of bucket items do not join, with the amount and the place. Types, items and limits are looked at each
 * on its own, so any windows may be handed in, in any order, but of a stretch of time all of them.
 *
 * `sinceMs` says from when on there is a window for everything: a limit that began later must have its beginning. Without it
 * no beginning is looked for, since windows before the first may have expired, or lie before those handed in.
 */
export function findGaps(windows: Iterable<UsageWindowItem>, sinceMs = Number.POSITIVE_INFINITY): readonly Gap[] {
  return chainsOf(windows).flatMap((chain) => gapsOfChain(chain, sinceMs));
}

function gapsOfChain(chain: readonly UsageWindowItem[], sinceMs: number): readonly Gap[] {
  const gaps: Gap[] = [];
  const lastOf = new Map<string, UsageWindowItem>();
  for (const window of chain) {
    for (const [limit, step] of window.limits) {
      const gap = step.isBirth ? undefined : gapBefore(limit, step, lastOf.get(limit), window, sinceMs);
      if (gap !== undefined) gaps.push(gap);
      lastOf.set(limit, window);
    }
  }
  return gaps;
}

function gapBefore(
  limit: string,
  step: LimitStep,
  last: UsageWindowItem | undefined,
  window: UsageWindowItem,
  sinceMs: number,
): Gap | undefined {
  const before = last?.limits.get(limit);
  if (last === undefined || before === undefined) return beginning(limit, step, window, sinceMs);
  const used = { from: before.used.to, to: step.used.from };
  const returned = { from: before.returned.to, to: step.returned.from };
  if (used.from === used.to && returned.from === returned.to) return undefined;
  const isAnew = window.ref.eraUs !== last.ref.eraUs && haveBegunAnew(endOf(before), { used: used.to, returned: returned.to });
  if (isAnew) return lostBirth(limit, step, window);
  const kind = used.to < used.from || returned.to < returned.from ? 'overlap' : 'between';
  const missing = { used, returned, isBirth: false };
  return { kind, limit, before: last.ref, after: window.ref, missing, seq: { from: last.seq.to, to: window.seq.from } };
}

function endOf({ used, returned }: LimitStep): Counters {
  return { used: used.to, returned: returned.to };
}

function beginning(limit: string, step: LimitStep, window: UsageWindowItem, sinceMs: number): Gap | undefined {
  if (window.ref.eraUs < sinceMs * 1_000) return undefined;
  // The counters of an item that is older than its era began before: an older release made it, or its windows are gone.
  const oldest = BigInt(window.ref.eraUs) * COUNTS_PER_US - SECOND_OF_BASE;
  return lower(step.used.from, step.returned.from) < oldest ? undefined : lostBirth(limit, step, window);
}

/**
 * Both counters of a limit begin at one base, so what they differ by is what was consumed since, exactly, although nobody
 * knows the base any more. How much of it was taken and given back again is lost.
 */
function lostBirth(limit: string, { used, returned }: LimitStep, { ref, seq }: UsageWindowItem): Gap | undefined {
  if (used.from === returned.from) return undefined;
  const base = lower(used.from, returned.from);
  const missing = { used: { from: base, to: used.from }, returned: { from: base, to: returned.from }, isBirth: true };
  return { kind: 'beginning', limit, after: ref, missing, seq: { from: seq.from, to: seq.from } };
}
