import { Limit } from '@millrace/core';
import type { Dice } from './dice.js';
import type { History } from './history.js';
import type { Scenario } from './scenario.js';

/** How the limits of all entities change while a world runs. */
export interface LimitChanges {
  /**
   * Where they come from. `stored`: from the table, where a change has a version that buckets meet. `call`: handed in by
   * each process with each call; all say the same version, and each process has its own moment for each change.
   */
  readonly source: 'stored' | 'call';
  /** What holds after the limits of the scenario, one after the other, and from when on as a share of the run. */
  readonly later: readonly Generation[];
}

/** The limits of one time. */
export interface Generation {
  readonly at: number;
  readonly limits: readonly Limit[];
}

/** A process takes over what it hands in at most so much of the run later than the first. */
export const ROLLOUT = 0.02;
/** How far a rate and a capacity go up or down. */
const FACTORS = [0.1, 0.5, 1, 1, 2, 10];
const RESERVES = [0.02, 0.02, 0.02, 0, 0.1];
/** Of a change that is taken back at once: after so much of the run. */
const AT_ONCE = 0.01;

/** Draws changes of rates, capacities, periods and reserves; some are taken back at once. What was asked for still can be. */
export function drawChanges(dice: Dice, first: readonly Limit[], maxCosts: ReadonlyMap<string, number>): LimitChanges {
  const source = dice.pick(['stored', 'call'] as const);
  const later: Generation[] = [];
  let limits = first;
  for (let at = dice.between(0, 0.4); at < 1; at += dice.between(AT_ONCE, 0.5)) {
    const before = limits;
    limits = first.map((limit) => drawChange(dice, limit, maxCosts.get(limit.name) ?? 1));
    later.push({ at, limits });
    if (!dice.chance(0.3)) continue;
    at += AT_ONCE;
    limits = before;
    later.push({ at, limits });
  }
  return { source, later };
}

function drawChange(dice: Dice, { name, capacity, refill, periodMs }: Limit, maxCost: number): Limit {
  const scaled = (value: number, factor: number, least: number): number => Math.max(least, Math.round(value * factor));
  const longer = dice.pick([1, 1, 1, 3]);
  return Limit.of({
    name,
    capacity: scaled(capacity, dice.pick(FACTORS), 2 * maxCost),
    refill: scaled(refill * longer, dice.pick(FACTORS), 1),
    periodMs: periodMs * longer,
    reserve: dice.pick(RESERVES),
  });
}

type LimitsByEntity = ReadonlyMap<string, readonly Limit[]>;

/** The limits of each entity, one generation after the other; in a world without changes there is one. */
export function generationsOf({ limits, changes }: Scenario): readonly [LimitsByEntity, ...LimitsByEntity[]] {
  const later = (changes?.later ?? []).map(
    (generation) => new Map([...limits.keys()].map((entity) => [entity, generation.limits] as const)),
  );
  return [limits, ...later];
}

/** From when on a process goes by a generation: a stored one is there for all at once, though they read it later. */
export interface Switch {
  readonly atUs: number;
  readonly generation: number;
  /** Undefined of a stored one. */
  readonly client: number | undefined;
}

/** For so long a process may go by limits that are no longer stored: it believes what it has read for a minute. */
const BELIEVED_US = 65_000_000;
/** For so long a call may go on with the limits that it was given. */
const UNDER_WAY_US = 8_000_000;

/** The generations by which a process may have sent what arrives at a moment, the newest last. */
export function generationsInUse({ switches }: History, { changes }: Scenario, client: number, atUs: number): readonly number[] {
  const agesUs = changes?.source === 'stored' ? BELIEVED_US : UNDER_WAY_US;
  const inUse = [0];
  for (const { atUs: sinceUs, generation, client: by } of switches) {
    if (sinceUs > atUs || (by !== undefined && by !== client)) continue;
    if (sinceUs < atUs - agesUs) inUse.length = 0;
    inUse.push(generation);
  }
  return inUse;
}
