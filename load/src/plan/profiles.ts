import type { RunSettings } from './settings.js';
import type { Arrival } from './shapes.js';

/** How a load goes up and down: shares of its peak, evenly between one and the next. */
interface Profile {
  readonly from: number;
  /** How long each stage is, as a share of the whole, and where it ends. */
  readonly stages: readonly { readonly length: number; readonly level: number }[];
}

const hours = (length: number): number => length / 24;

/** Shapes by their names. A run of another length than theirs is a time lapse. */
export const PROFILES = {
  /** A day: a quiet night, a steep morning, a plateau, a long evening. */
  daily: {
    from: 0.1,
    stages: [
      { length: hours(6), level: 0.1 },
      { length: hours(3), level: 0.67 },
      { length: hours(2), level: 1 },
      { length: hours(4), level: 1 },
      { length: hours(3), level: 0.8 },
      { length: hours(4), level: 0.2 },
      { length: hours(2), level: 0.1 },
    ],
  },
  /** The hour in which everybody begins to work: three times as many within a sixth of it. */
  'morning-spike': {
    from: 1 / 3,
    stages: [
      { length: 1 / 6, level: 1 },
      { length: 1 / 3, level: 1 },
      { length: 1 / 2, level: 2 / 3 },
    ],
  },
} as const satisfies Readonly<Record<string, Profile>>;

/** A profile at the size of a run: its peak is the rate, or the number of users where users come back when they are ready. */
export function profiled({ from, stages }: Profile, { users, perSecond, durationMs }: Omit<RunSettings, 'scenario'>): Arrival {
  if (perSecond !== undefined) {
    const ramp = stages.map(({ length, level }) => ({ target: level * perSecond, durationMs: length * durationMs }));
    return { kind: 'ramp', fromPerSecond: from * perSecond, users, stages: ramp };
  }
  const crowd = stages.map(({ length, level }) => ({ target: Math.ceil(level * users), durationMs: length * durationMs }));
  return { kind: 'crowd', fromUsers: Math.ceil(from * users), stages: crowd };
}
