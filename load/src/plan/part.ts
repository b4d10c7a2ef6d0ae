import type { Arrival, Stage } from './shapes.js';

/** A part of a run: what one worker makes where several follow one another. In milliseconds after the run's start. */
export interface Part {
  readonly fromMs: number;
  readonly toMs: number;
  /** The most users in it, where a changing rate is to have no more than it needs; absent for as many as the whole run. */
  readonly users?: number;
}

/**
 * The part of an arrival between two moments. A successor that takes over in the middle of a ramp begins where its
 * predecessor ended: on the same line.
 */
export function partOf(arrival: Arrival, part: Part): Arrival {
  const durationMs = part.toMs - part.fromMs;
  switch (arrival.kind) {
    case 'users':
    case 'rate':
      return { ...arrival, durationMs };
    case 'ramp': {
      const { start, stages } = cut(arrival.fromPerSecond, arrival.stages, part);
      return { ...arrival, fromPerSecond: start, stages, users: part.users ?? arrival.users };
    }
    case 'crowd': {
      const { start, stages } = cut(arrival.fromUsers, arrival.stages, part);
      return { ...arrival, fromUsers: start, stages };
    }
  }
}

function cut(start: number, stages: readonly Stage[], { fromMs, toMs }: Part): { start: number; stages: readonly Stage[] } {
  const kept: Stage[] = [];
  let [atMs, level] = [0, start];
  let first: number | undefined;
  for (const { durationMs, target } of stages) {
    const endMs = atMs + durationMs;
    const [begin, end] = [Math.max(atMs, fromMs), Math.min(endMs, toMs)];
    const isJump = durationMs === 0 && fromMs <= atMs && atMs < toMs;
    if (begin < end || isJump) {
      const levelAt = (momentMs: number): number =>
        durationMs === 0 ? target : level + ((target - level) * (momentMs - atMs)) / durationMs;
      first ??= isJump ? level : levelAt(begin);
      kept.push({ durationMs: end - begin, target: levelAt(end) });
    }
    [atMs, level] = [endMs, target];
  }
  return { start: first ?? level, stages: kept };
}
