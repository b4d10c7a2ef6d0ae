import type { Amounts } from '@millrace/limiter/engine';
import { ROLLOUT } from './changes.js';
import { Dice } from './dice.js';
import { generationsOf } from './generations.js';
import type { Scenario } from './scenario.js';

/** One caller: what it asks for, and what it does with its lease. */
export interface Call {
  readonly entity: string;
  readonly amounts: Amounts;
  /** How long it is ready to wait; 0 where it is not. */
  readonly waitMs: number;
  readonly workUs: number;
  /** By how much it then adjusts its lease, if it does. */
  readonly deltas: Amounts | undefined;
  readonly isReleased: boolean;
}

/** What happens to one process, whatever its engine does; times are microseconds since the run began. */
export interface ProcessSchedule {
  readonly calls: readonly { readonly inUs: number; readonly call: Call }[];
  /** Errors of its clock, and from when on. */
  readonly skews: readonly { readonly inUs: number; readonly skewUs: number }[];
  readonly crashInUs: number | undefined;
  /** When it goes over to each of the later limits, where it hands them in. */
  readonly changesInUs: readonly number[];
}

const JUMPS = 5;

/** Draws what happens to each process. It is data before the run begins, so that no engine can change it. */
export function drawSchedule(scenario: Scenario, seed: number): readonly ProcessSchedule[] {
  return Array.from({ length: scenario.clients }, (_, client) => ({
    ...drawProcess(scenario, Dice.for(seed, 'schedule', client)),
    changesInUs: drawMoments(scenario, Dice.for(seed, 'changes', client)),
  }));
}

/** All changes come to a process as much later, so that none overtakes another. */
function drawMoments({ changes, durationUs }: Scenario, dice: Dice): readonly number[] {
  const later = dice.between(0, ROLLOUT);
  return changes?.source === 'call' ? changes.later.map(({ at }) => (at + later) * durationUs) : [];
}

function drawProcess(scenario: Scenario, dice: Dice): Omit<ProcessSchedule, 'changesInUs'> {
  const { acquires, clients, durationUs, phases, faults, maxSkewUs, crowd } = scenario;
  const phaseUs = durationUs / phases.length;
  const total = phases.reduce((sum, share) => sum + share, 0);
  const skew = () => dice.between(-maxSkewUs, maxSkewUs);

  const calls = phases.flatMap((share, phase) => {
    const crowds = Math.round((acquires / clients / crowd) * (share / total));
    return Array.from({ length: crowds }, () => {
      const inUs = phase * phaseUs + dice.between(0, phaseUs);
      return Array.from({ length: crowd }, () => ({ inUs, call: drawCall(scenario, dice) }));
    }).flat();
  });
  const jumps = maxSkewUs > 0 ? Array.from({ length: JUMPS }, () => ({ inUs: dice.between(0, durationUs), skewUs: skew() })) : [];
  return {
    calls,
    skews: [{ inUs: 0, skewUs: skew() }, ...jumps],
    crashInUs: dice.chance(faults.crashes) ? dice.between(0.2, 1) * durationUs : undefined,
  };
}

function drawCall(scenario: Scenario, dice: Dice): Call {
  const { entities, settling, waits, maxCosts } = scenario;
  const amounts = drawAmounts(scenario, dice);
  const drawDelta = ([limit, tokens]: [string, number]) => [limit, dice.integer(-tokens, Math.min(tokens, maxCosts.get(limit) ?? 1))];
  return {
    entity: dice.pick(entities).id,
    amounts,
    waitMs: dice.chance(waits.share) ? dice.pick(waits.ms) : 0,
    workUs: dice.chance(0.5) ? dice.exponential(50_000) : 0,
    deltas: dice.chance(settling.adjust) ? Object.fromEntries(Object.entries(amounts).map(drawDelta)) : undefined,
    isReleased: dice.chance(settling.release),
  };
}

function drawAmounts(scenario: Scenario, dice: Dice): Amounts {
  const { maxCosts, wholes } = scenario;
  const isWhole = dice.chance(wholes);
  return Object.fromEntries(
    [...maxCosts].map(([limit, maxCost]) => [limit, isWhole ? leastCapacity(scenario, limit) : dice.integer(1, maxCost)]),
  );
}

/** What may be asked for whatever holds at the time. */
function leastCapacity(scenario: Scenario, name: string): number {
  const every = generationsOf(scenario).flatMap((generation) => [...generation.values()].flat());
  return Math.min(...every.filter((limit) => limit.name === name).map(({ capacity }) => capacity));
}
