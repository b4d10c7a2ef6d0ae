import { type Arrival, durationOf, type Stage } from './shapes.js';

/** How many workers share the load from one moment to another, in seconds after the run's start. */
export interface Crew {
  readonly workers: number;
  readonly fromSec: number;
  readonly toSec: number;
  /** The most users there are in it; absent where nobody asked how many one worker has. */
  readonly users?: number;
}

/** How many workers there are where that follows from the users. */
export interface Scaling {
  /** How many users one worker is to have at most: what `tune` found. */
  readonly usersPerWorker: number;
  /** Goes before the others: load that is asked for is made, if by workers that have more users. */
  readonly maxWorkers: number;
  readonly minWorkers: number;
}

/** Each change replaces all workers, as k6 cannot change a share while it runs: an hour of a day, no oftener. */
const MOST_CREWS = 24;

/** Rounding errors of shares are no user. */
const SLACK = 1e-6;

/** The same workers from the beginning to the end. */
export function steadyCrew(workers: number, durationSec: number): readonly Crew[] {
  return [{ workers, fromSec: 0, toSec: durationSec }];
}

/**
 * As many workers at each time as the planned load has users for. The plan is known before the run, so nothing has to be
 * watched: a crew is as large as the most users in its time want.
 *
 * @param leadSec From launching a worker to its being ready: no crew is there for a shorter time than its successor takes to start.
 */
export function crewsFor(arrival: Arrival, scaling: Scaling, leadSec: number): readonly Crew[] {
  const durationSec = durationOf(arrival) / 1_000;
  const curve = curveOf(arrival);
  const windows = Math.max(1, Math.min(MOST_CREWS, Math.floor(durationSec / leadSec)));
  const crews: Crew[] = [];
  for (let window = 0; window < windows; window++) {
    const [fromSec, toSec] = [(durationSec * window) / windows, (durationSec * (window + 1)) / windows];
    const users = Math.max(1, Math.ceil(mostWithin(curve, fromSec, toSec) - SLACK));
    const crew = { workers: workersFor(users, scaling), fromSec, toSec, users };
    const last = crews.at(-1);
    if (last?.workers === crew.workers) crews[crews.length - 1] = { ...last, toSec, users: Math.max(last.users ?? 0, users) };
    else crews.push(crew);
  }
  return crews;
}

/** A worker without a user makes nothing, whatever the least number is. */
function workersFor(users: number, { usersPerWorker, minWorkers, maxWorkers }: Scaling): number {
  return Math.min(users, maxWorkers, Math.max(minWorkers, Math.ceil(users / usersPerWorker)));
}

/** Of several crews, how many users the fullest worker has. */
export function mostUsersPerWorker(crews: readonly Crew[]): number {
  return Math.max(...crews.map(({ users = 0, workers }) => Math.ceil(users / workers)));
}

/** How many workers there are: `2 workers`, `1 to 5 workers`. */
export function crewsText(crews: readonly Crew[], what = 'workers'): string {
  const counts = crews.map(({ workers }) => workers);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `${most} ${what}` : `${least} to ${most} ${what}`;
}

/** Users from one moment to another, on a straight line. */
interface Stretch {
  readonly fromSec: number;
  readonly toSec: number;
  readonly from: number;
  readonly to: number;
}

/** How many users a load wants. Of a rate that changes these are a share of all users: that of the rate in its peak. */
function curveOf(arrival: Arrival): readonly Stretch[] {
  if (arrival.kind === 'crowd') return stretches(arrival.fromUsers, arrival.stages, 1);
  if (arrival.kind === 'ramp') {
    const peak = Math.max(arrival.fromPerSecond, ...arrival.stages.map(({ target }) => target));
    return stretches(arrival.fromPerSecond, arrival.stages, arrival.users / peak);
  }
  return [{ fromSec: 0, toSec: arrival.durationMs / 1_000, from: arrival.users, to: arrival.users }];
}

function stretches(start: number, stages: readonly Stage[], factor: number): readonly Stretch[] {
  let [atSec, level] = [0, start * factor];
  return stages.map(({ target, durationMs }) => {
    const stretch = { fromSec: atSec, toSec: atSec + durationMs / 1_000, from: level, to: target * factor };
    [atSec, level] = [stretch.toSec, stretch.to];
    return stretch;
  });
}

function mostWithin(curve: readonly Stretch[], fromSec: number, toSec: number): number {
  const levels = curve
    .filter((each) => Math.max(each.fromSec, fromSec) < Math.min(each.toSec, toSec))
    .flatMap((each) => [levelAt(each, Math.max(each.fromSec, fromSec)), levelAt(each, Math.min(each.toSec, toSec))]);
  return Math.max(0, ...levels);
}

function levelAt({ fromSec, toSec, from, to }: Stretch, atSec: number): number {
  return from + ((to - from) * (atSec - fromSec)) / (toSec - fromSec);
}
