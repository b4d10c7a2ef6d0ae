/** How turns arrive. */
export type Arrival =
  /** Users that come back as soon as they are ready: slow answers mean fewer turns. */
  | { readonly kind: 'users'; readonly users: number; readonly durationMs: number }
  /** So many turns a second however long they take: a slow limiter shows as waiting users, and then as dropped turns. */
  | { readonly kind: 'rate'; readonly perSecond: number; readonly users: number; readonly durationMs: number }
  /** A rate that changes from one stage to the next, evenly within each. */
  | { readonly kind: 'ramp'; readonly fromPerSecond: number; readonly users: number; readonly stages: readonly Stage[] }
  /** Numbers of users that change from one stage to the next. */
  | { readonly kind: 'crowd'; readonly fromUsers: number; readonly stages: readonly Stage[] };

/** A stage ends at `target` turns a second, or users. */
export interface Stage {
  readonly target: number;
  readonly durationMs: number;
}

/** How long a turn that has begun may go on after the end. */
export const GRACE_MS = 30_000;

/** A scenario as k6 wants it. */
export interface K6Scenario {
  readonly executor: 'constant-vus' | 'constant-arrival-rate' | 'ramping-arrival-rate' | 'ramping-vus';
  readonly [option: string]: unknown;
}

/** Turns an arrival into one of k6's executors. */
export function k6Scenario(arrival: Arrival): K6Scenario {
  const gracefulStop = ms(GRACE_MS);
  switch (arrival.kind) {
    case 'users':
      return { executor: 'constant-vus', vus: arrival.users, duration: ms(arrival.durationMs), gracefulStop };
    case 'rate': {
      const rate = wholeRate(arrival.perSecond);
      const duration = ms(arrival.durationMs);
      return { executor: 'constant-arrival-rate', ...rate, duration, preAllocatedVUs: arrival.users, maxVUs: arrival.users, gracefulStop };
    }
    case 'ramp': {
      const { unit, seconds } = unitFor([arrival.fromPerSecond, ...arrival.stages.map(({ target }) => target)]);
      return {
        executor: 'ramping-arrival-rate',
        startRate: Math.round(arrival.fromPerSecond * seconds),
        timeUnit: unit,
        preAllocatedVUs: arrival.users,
        maxVUs: arrival.users,
        stages: stagesOf(arrival.stages, seconds),
        gracefulStop,
      };
    }
    case 'crowd':
      return {
        executor: 'ramping-vus',
        // A part may begin in the middle of a ramp.
        startVUs: Math.round(arrival.fromUsers),
        stages: stagesOf(arrival.stages),
        gracefulStop,
        gracefulRampDown: gracefulStop,
      };
  }
}

/** How long turns begin, by the plan. */
export function durationOf(arrival: Arrival): number {
  if (arrival.kind === 'users' || arrival.kind === 'rate') return arrival.durationMs;
  return arrival.stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** The most users there are at once. */
export function usersOf(arrival: Arrival): number {
  if (arrival.kind !== 'crowd') return arrival.users;
  return Math.max(arrival.fromUsers, ...arrival.stages.map(({ target }) => target));
}

/** k6 takes whole numbers: slow rates are said by the minute, or by the hour. */
function wholeRate(perSecond: number): { readonly rate: number; readonly timeUnit: string } {
  const { unit, seconds } = unitFor([perSecond]);
  return { rate: Math.max(1, Math.round(perSecond * seconds)), timeUnit: unit };
}

/** The shortest unit in which all of these rates are whole, if there is one. */
function unitFor(perSecond: readonly number[]): Unit {
  return UNITS.find(({ seconds }) => perSecond.every((rate) => Number.isInteger(rate * seconds))) ?? HOUR;
}

interface Unit {
  readonly unit: string;
  readonly seconds: number;
}

const HOUR: Unit = { unit: '1h', seconds: 3_600 };
const UNITS: readonly Unit[] = [{ unit: '1s', seconds: 1 }, { unit: '1m', seconds: 60 }, HOUR];

function stagesOf(stages: readonly Stage[], factor = 1): readonly { readonly target: number; readonly duration: string }[] {
  return stages.map(({ target, durationMs }) => ({ target: Math.round(target * factor), duration: ms(durationMs) }));
}

function ms(durationMs: number): string {
  return `${Math.round(durationMs)}ms`;
}
