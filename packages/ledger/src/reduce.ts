import { usageKey, type WindowType } from '@millrace/core';
import { mergeChange, type WindowChange } from './change.js';
import type { BucketStep } from './step.js';
import { WindowMemory } from './window-memory.js';

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
  const memory = new WindowMemory();
  for (const { ref: bucket, source, eraUs, atMs, seq, limits } of steps) {
    const zone = zoneOf(bucket.namespaceId);
    for (const type of types) {
      const { startMs } = memory.windowOf(atMs, zone, type);
      const ref = { bucket, ...(source === undefined ? {} : { source }), eraUs, type, startMs };
      const change: WindowChange = { ref, seq, limits };
      const { partition, sort } = usageKey(change.ref);
      const name = `${partition}\n${sort}`;
      const known = changes.get(name);
      changes.set(name, known === undefined ? change : mergeChange(known, change));
    }
  }
  return [...changes.values()];
}
