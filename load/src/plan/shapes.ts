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
interface Stage {
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
    case 'ramp':
      return {
        executor: 'ramping-arrival-rate',
        startRate: Math.round(arrival.fromPerSecond),
        timeUnit: '1s',
        preAllocatedVUs: arrival.users,
        maxVUs: arrival.users,
        stages: stagesOf(arrival.stages),
        gracefulStop,
      };
    case 'crowd':
      return {
        executor: 'ramping-vus',
        startVUs: arrival.fromUsers,
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
  if (Number.isInteger(perSecond)) return { rate: perSecond, timeUnit: '1s' };
  if (Number.isInteger(perSecond * 60)) return { rate: perSecond * 60, timeUnit: '1m' };
  return { rate: Math.max(1, Math.round(perSecond * 3_600)), timeUnit: '1h' };
}

function stagesOf(stages: readonly Stage[]): readonly { readonly target: number; readonly duration: string }[] {
  return stages.map(({ target, durationMs }) => ({ target: Math.round(target), duration: ms(durationMs) }));
}

function ms(durationMs: number): string {
  return `${Math.round(durationMs)}ms`;
}
