import { Limit } from '@millrace/core';
import type { Dice } from './dice.js';

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
interface Generation {
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
