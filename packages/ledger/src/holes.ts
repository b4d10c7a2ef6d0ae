import { ATTRIBUTE, bigintAt, bucketName, type WireItem, windowAttribute } from '@millrace/core';
import type { WindowChange } from './change.js';
import type { BucketStep } from './step.js';

/**
 * How many records are missing between those of a batch, at least: places where the counters of an item go on from further
 * up than any record before has left them. Repetitions and their order make no difference.
 */
export function countHoles(steps: readonly BucketStep[]): number {
  const reached = new Map<string, { used: bigint; returned: bigint }>();
  let holes = 0;
  for (const { ref, source, eraUs, limits } of [...steps].sort((a, b) => a.seq.from - b.seq.from)) {
    let isLate = false;
    for (const [limit, { used, returned, isBirth }] of limits) {
      const name = `${source ?? 'buckets'} ${bucketName(ref)} ${eraUs} ${limit}`;
      const known = reached.get(name);
      if (known !== undefined && !isBirth) isLate ||= used.from > known.used || returned.from > known.returned;
      reached.set(name, { used: later(known?.used, used.to), returned: later(known?.returned, returned.to) });
    }
    if (isLate) holes += 1;
  }
  return holes;
}

/** Whether a change begins further up than a window ended before it: by the attributes that the window had, as the write's reply tells them. */
export function beginsLate(before: WireItem, change: WindowChange): boolean {
  if (before[ATTRIBUTE.seqTo] === undefined) return false;
  return [...change.limits].some(([limit, { used, returned }]) => {
    const [usedTo, returnedTo] = [
      bigintAt(before, windowAttribute('usedTo', limit)),
      bigintAt(before, windowAttribute('returnedTo', limit)),
    ];
    return (usedTo !== undefined && usedTo < used.from) || (returnedTo !== undefined && returnedTo < returned.from);
  });
}

function later(known: bigint | undefined, to: bigint): bigint {
  return known !== undefined && known > to ? known : to;
}
