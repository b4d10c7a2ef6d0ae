import type { Limit } from '@millrace/core';
import type { Session } from './session.js';
import type { RunSettings } from './settings.js';
import type { Arrival } from './shapes.js';
import type { Threshold } from './thresholds.js';

/** An entity that has to be there before the run. One without a parent need not be: whoever is named may acquire. */
export interface PlannedEntity {
  readonly id: string;
  readonly parent?: string;
}

/** Limits by resource. */
type Resources = Readonly<Record<string, readonly Limit[]>>;

/** Limits of an entity's own on a resource. */
interface OwnLimits {
  readonly entity: string;
  readonly resource: string;
  readonly limits: readonly Limit[];
}

/** Limits that administration may set while the run goes on: of a resource, or of one entity on it. */
interface LaterLimits extends Omit<OwnLimits, 'entity'> {
  readonly entity?: string;
}

/** What the table holds when a run begins, and what it may come to hold. */
export interface World {
  readonly resources: Resources;
  readonly own: readonly OwnLimits[];
  readonly entities: readonly PlannedEntity[];
  /** What limits may become. A limit that an entity's own may fall back to is named here, too. @default they stay as they are */
  readonly later?: readonly LaterLimits[];
}

/** One turn of one caller. */
interface Turn {
  /** From 1; no two users of a run have the same, on however many workers. */
  readonly user: number;
  /** Which of the user's callers, from 0. */
  readonly caller: number;
  /** How many turns this user has made before. */
  readonly index: number;
  readonly settings: RunSettings;
  /** From 0 up to, not including, 1. */
  random(): number;
  sleep(ms: number): Promise<void>;
}

/** Sizes that a run has unless it is told otherwise. */
interface Sizes {
  readonly users: number;
  /** Absent where users come back when they are ready. */
  readonly perSecond?: number;
  readonly durationMs: number;
  /** Callers in each user. @default 1 */
  readonly callers?: number;
}

/**
 * A scenario asks one question. All of it is a function of the settings of a run, and none of it knows k6 or Node: the
 * Node side makes the world and judges by it, k6 makes the turns.
 */
export interface Scenario {
  readonly name: string;
  /** The question, with its question mark. */
  readonly question: string;
  readonly sizes: Sizes;
  /** Whether it says something else where entities take from a parent. */
  readonly cascades: boolean;
  /** Whether adjustments may leave a bucket in debt, so that for a while more was used than it holds. */
  readonly mayOwe?: boolean;
  /** Whether turns administer: then there is a Node service beside k6 in every mode. */
  readonly manages?: boolean;
  /** The shapes that the load can have, by their names; the first is the one it has unless another is asked for. */
  readonly shapes?: readonly string[];
  /** How long limiters in k6 keep what they read of the configuration. @default a minute, as in services */
  readonly configTtlMs?: number;
  arrival(settings: RunSettings): Arrival;
  /** Asked by every user of k6: their names are those of all limits that the run meets. */
  resources(settings: RunSettings): Resources;
  /**
   * Parents before their children; a child takes from its parent, too. Acquires name only those that are nobody's parent.
   * Asked by the Node side alone, so there may be many.
   */
  entities?(settings: RunSettings): readonly PlannedEntity[];
  /** Asked by the Node side alone. */
  own?(settings: RunSettings): readonly OwnLimits[];
  /** What limits become while turns are made. A scenario whose adjustments go into debt must not change limits. */
  later?(settings: RunSettings): readonly LaterLimits[];
  /** What makes the answer a yes. Failures of the limiter are always judged besides. */
  thresholds(settings: RunSettings): readonly Threshold[];
  turn(session: Session, turn: Turn): Promise<void>;
}

/** The arrival that settings mean, where a scenario has no shape of its own: a rate if one was given, else users. */
export function arrivalOf({ users, perSecond, durationMs }: RunSettings): Arrival {
  return perSecond === undefined ? { kind: 'users', users, durationMs } : { kind: 'rate', perSecond, users, durationMs };
}

/** All that a run's table is to hold. */
export function worldOf(scenario: Scenario, settings: RunSettings): World {
  const { entities = () => [], own = () => [], later = () => [] } = scenario;
  return { resources: scenario.resources(settings), entities: entities(settings), own: own(settings), later: later(settings) };
}
