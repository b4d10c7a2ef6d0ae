import { usageKey } from '@millrace/core';
import { mergeChange, type UsageWindowItem, type WindowChange } from './change.js';
import type { Gap } from './gaps.js';
import type { LimitStep } from './step.js';

/**
 * What books the gaps: one change for each window that does not join the one before it. It is widened as by any other
 * change, so it may be made twice, and while records come in.
 *
 * A gap goes into the window **after** it, though the missing writes may have happened in the one before. Within a longer
 * window the next record closes it by itself, since its step spans what is missing, and that is to say that it is booked
 * at the time of the next record: so the windows of all types agree, and hours add up to their day.
 *
 * Overlaps are left out: nothing that is widened gets narrower. See {@link narrowed}.
 */
export function repairsFor(gaps: readonly Gap[]): readonly WindowChange[] {
  const changes = new Map<string, WindowChange>();
  for (const { kind, limit, after, missing, seq } of gaps) {
    if (kind === 'overlap') continue;
    const change: WindowChange = { ref: after, seq, limits: new Map([[limit, missing]]) };
    const name = nameOf(change);
    const known = changes.get(name);
    changes.set(name, known === undefined ? change : mergeChange(known, change));
  }
  return [...changes.values()];
}

/**
 * The window without what it counts a second time, by the overlaps that {@link findGaps} found before it; undefined where
 * there are none. To be written only if the window is still the same: see `windowRewriteRequest`.
 */
export function narrowed(window: UsageWindowItem, gaps: readonly Gap[]): UsageWindowItem | undefined {
  const limits = new Map(window.limits);
  const name = nameOf(window);
  let isNarrower = false;
  for (const gap of gaps) {
    const step = limits.get(gap.limit);
    if (gap.kind !== 'overlap' || step === undefined || nameOf({ ref: gap.after }) !== name) continue;
    limits.set(gap.limit, begunLater(step, gap.missing));
    isNarrower = true;
  }
  return isNarrower ? { ...window, limits } : undefined;
}

function begunLater(step: LimitStep, overlap: LimitStep): LimitStep {
  return {
    used: { from: overlap.used.from, to: step.used.to },
    returned: { from: overlap.returned.from, to: step.returned.to },
    isBirth: false,
  };
}

function nameOf({ ref }: Pick<WindowChange, 'ref'>): string {
  const { partition, sort } = usageKey(ref);
  return `${partition}\n${sort}`;
}
