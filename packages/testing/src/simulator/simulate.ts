import type { PrefetchOptions } from '@millrace/limiter/engine';
import { checkAlone } from './check-alone.js';
import { checkHistory } from './check-history.js';
import { Dice } from './dice.js';
import { runWorld } from './run-world.js';
import { describeScenario, drawScenario } from './scenario.js';
import { drawSchedule } from './schedule.js';

/** How a world differs from what is drawn. */
export interface SimulationOptions {
  /** Techniques that the engine is to do without. */
  readonly without?: readonly string[];
  /** How processes take ahead; they do not where it is absent. */
  readonly prefetch?: PrefetchOptions;
}

/** What came of one simulated world. */
export interface SimulationResult {
  readonly seed: number;
  readonly operations: number;
  readonly acquires: number;
  readonly admitted: number;
  readonly rejected: number;
  readonly writes: number;
  /** How often a bucket went over to more items, or to fewer. */
  readonly splits: number;
  readonly merges: number;
  /** What the world is made of. */
  readonly drawn: Readonly<Record<string, unknown>>;
  /** Broken invariants, the first few. */
  readonly broken: readonly string[];
}

const ACQUIRES = 4_800;
const MOST_OF_EACH = 2;

/**
 * Runs the real engine in a world made up from a seed: several processes with clocks that are wrong and a network that
 * is slow, loses things and delivers some twice, in virtual time, on the memory store. Then judges what happened. The same
 * seed gives the same run.
 */
export async function simulate(seed: number, acquires: number = ACQUIRES, options: SimulationOptions = {}): Promise<SimulationResult> {
  const { without = [], prefetch } = options;
  const drawnAlone = drawScenario(Dice.for(seed, 'world'), acquires);
  const scenario = prefetch === undefined ? drawnAlone : { ...drawnAlone, prefetch };
  const world = await runWorld(seed, scenario, drawSchedule(scenario, seed), without);
  const broken = checkHistory(world);
  broken.push(...(await checkAlone(world)));
  const { operations, acquires: asked, admitted, rejected, writes, splits, merges } = world.history;
  const drawn = describeScenario(scenario);
  return { seed, operations, acquires: asked, admitted, rejected, writes, splits, merges, drawn, broken: firstOfEach(broken) };
}

/** The first few lines for each invariant, which is a line's first word. */
function firstOfEach(broken: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return broken.filter((line) => {
    const invariant = line.split(' ', 1)[0] ?? '';
    counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
    return (counts.get(invariant) ?? 0) <= MOST_OF_EACH;
  });
}
