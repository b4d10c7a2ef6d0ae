/** A ramp to a rate (or number of users) within a time, as k6's ramping executors take it. */
export interface Stage {
  readonly durationSec: number;
  readonly target: number;
}

/** A shape: where it begins, and its ramps. */
export interface Shape {
  readonly start: number;
  readonly stages: readonly Stage[];
}

/**
 * The part of a shape between two moments. A successor that takes over in the middle of a ramp begins where its
 * predecessor ended: on the same line.
 */
export function sliceShape({ start, stages }: Shape, fromSec: number, toSec: number): Shape {
  const cut: Stage[] = [];
  let [atSec, level] = [0, start];
  let first: number | undefined;
  for (const { durationSec, target } of stages) {
    const endSec = atSec + durationSec;
    const [begin, end] = [Math.max(atSec, fromSec), Math.min(endSec, toSec)];
    if (begin < end || (durationSec === 0 && begin === end)) {
      first ??= levelAt(level, target, atSec, durationSec, begin);
      cut.push({ durationSec: end - begin, target: levelAt(level, target, atSec, durationSec, end) });
    }
    [atSec, level] = [endSec, target];
  }
  return { start: first ?? level, stages: cut };
}

function levelAt(from: number, to: number, atSec: number, durationSec: number, momentSec: number): number {
  return durationSec === 0 ? to : from + ((to - from) * (momentSec - atSec)) / durationSec;
}
