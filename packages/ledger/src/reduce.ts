import { usageKey, type WindowType } from '@millrace/core';
import { mergeChange, type WindowChange } from './change.js';
import type { BucketStep } from './step.js';
import { type UsageWindow, windowOf } from './windows.js';

/**
 * What the steps of a batch make of windows: one change for each bucket item, era and window. The order of the steps, and
 * whether some come twice, makes no difference.
 */
export function reduceSteps(
  steps: readonly BucketStep[],
  zoneOf: (namespaceId: string) => string,
  types: readonly WindowType[],
): readonly WindowChange[] {
  const changes = new Map<string, WindowChange>();
  const windowsAt = rememberedWindows(types);
  for (const { ref: bucket, eraUs, atMs, seq, limits } of steps) {
    for (const { type, startMs } of windowsAt(atMs, zoneOf(bucket.namespaceId))) {
      const change: WindowChange = { ref: { bucket, eraUs, type, startMs }, seq, limits };
      const { partition, sort } = usageKey(change.ref);
      const name = `${partition}\n${sort}`;
      const known = changes.get(name);
      changes.set(name, known === undefined ? change : mergeChange(known, change));
    }
  }
  return [...changes.values()];
}

/** The windows that a batch has met: its records are of a few, and calendars are slow. */
function rememberedWindows(types: readonly WindowType[]): (atMs: number, zone: string) => readonly UsageWindow[] {
  const met = new Map<string, UsageWindow[]>();
  return (atMs, zone) =>
    types.map((type) => {
      const name = `${zone} ${type}`;
      const windows = met.get(name) ?? [];
      met.set(name, windows);
      let window = windows.find(({ startMs, endMs }) => startMs <= atMs && atMs < endMs);
      if (window === undefined) {
        window = windowOf(atMs, zone, type);
        // The newest first: it is the one that the next record is of.
        windows.unshift(window);
      }
      return window;
    });
}
