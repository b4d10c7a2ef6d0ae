import { clockErrors } from './check-clocks.js';
import { checkHistory } from './check-history.js';
import { Dice } from './dice.js';
import type { Claim } from './history.js';
import { runWorld } from './run-world.js';
import { drawScenario, NO_FAULTS, type Scenario } from './scenario.js';
import { drawSchedule, type ProcessSchedule } from './schedule.js';
import type { Spreading } from './spreading.js';
import { type SimulatedTechnique, techniques } from './techniques.js';
import type { World } from './world.js';

/** What one schedule came to with all techniques, and without each of them. */
export interface Comparison {
  readonly seed: number;
  readonly kind: Kind;
  readonly operations: number;
  /** Broken invariants of any of the runs, and differences that must not be. */
  readonly broken: readonly string[];
  readonly withAll: RunTotals;
  readonly without: ReadonlyMap<string, RunTotals>;
  /** With one that an engine has only where it is asked for. */
  readonly added: ReadonlyMap<Added, RunTotals>;
  /** How many writes carried a time that was wrong by more than replies can leave, where clocks are wrong by seconds. */
  readonly clockErrors: { readonly corrected: number; readonly uncorrected: number };
}

/** What is one more run of each schedule, because the engine of the others does without. */
export type Added = 'prefetch' | 'shards' | 'clockCorrection';

/** What a run came to, in requests. */
export interface RunTotals {
  readonly admitted: number;
  readonly rejected: number;
  readonly failed: number;
  readonly writes: number;
  readonly splits: number;
  readonly merges: number;
}

/**
 * The worlds in turn. In the first two nothing takes time on the way, nothing is lost, and one process alone sees all that
 * happens: there a technique must not change whom it admits. `crowds` are callers of one bucket that come at once;
 * `serial` ones come one by one, to any entities. `any` is whatever the simulator draws.
 */
export const KINDS = ['crowds', 'serial', 'any'] as const;

export type Kind = (typeof KINDS)[number];

const PREFETCH = { lifetimeMs: 1_000 };
/** Schedules are short: a key is hot every now and then, and items are brought together as soon as they may be. */
const SPREADING: Spreading = { sharding: { maxShards: 4, splitPerSec: 1e9, mergePerSec: 1e9, settleMs: 0 }, hotKeys: 0.03 };
/** The largest error of clocks that are wrong by far more than anybody tolerates. */
const WRONG_US = 3_000_000;
const MOST_SHOWN = 5;

/** Runs one schedule with all techniques and without each of them, and compares what came of it. */
export async function compare(seed: number, acquires: number): Promise<Comparison> {
  const kind = KINDS[seed % KINDS.length] as Kind;
  const scenario = drawWorld(kind, seed, acquires);
  const schedule = drawSchedule(scenario, seed);
  const withAll = await runWorld(seed, scenario, schedule);
  const broken = checkHistory(withAll).map((line) => `with all: ${line}`);
  const without = new Map<string, RunTotals>();
  let { operations } = withAll.history;
  for (const technique of techniques) {
    const { name } = technique;
    if (name === 'shards' && scenario.spreading === undefined) continue;
    const run = await runWorld(seed, scenario, schedule, [name]);
    const lines = [...checkHistory(run), ...(kind === 'any' ? [] : checkSame(technique, withAll, run))];
    broken.push(...lines.map((line) => `without ${name}: ${line}`));
    without.set(name, totalsOf(run));
    operations += run.history.operations;
  }
  const added = new Map<Added, RunTotals>();
  const runWith = async (name: Added | 'wrong clocks', changed: Scenario, own = schedule): Promise<World> => {
    const run = await runWorld(seed, changed, own);
    broken.push(...checkHistory(run).map((line) => `with ${name}: ${line}`));
    if (name !== 'wrong clocks') added.set(name, totalsOf(run));
    operations += run.history.operations;
    return run;
  };
  await runWith('prefetch', { ...scenario, prefetch: PREFETCH });
  await runWith('shards', { ...scenario, spreading: scenario.spreading ?? SPREADING });
  const errors = { corrected: 0, uncorrected: 0 };
  if (kind === 'any') {
    // Replies prove nothing of a clock that is set anew all the time, so each of them is wrong by the same all along.
    const [wrong, clocks] = [{ ...scenario, maxSkewUs: WRONG_US }, wrongClocks(schedule, seed)];
    errors.uncorrected = clockErrors(await runWith('wrong clocks', wrong, clocks)).length;
    const corrected = clockErrors(await runWith('clockCorrection', { ...wrong, corrected: true }, clocks));
    errors.corrected = corrected.length;
    broken.push(...corrected.map((line) => `with clockCorrection: ${line}`));
  }
  const totals = { withAll: totalsOf(withAll), without, added };
  return { seed, kind, operations, broken: broken.slice(0, MOST_SHOWN), ...totals, clockErrors: errors };
}

function wrongClocks(schedule: readonly ProcessSchedule[], seed: number): readonly ProcessSchedule[] {
  return schedule.map((own, client) => ({
    ...own,
    skews: [{ inUs: 0, skewUs: Dice.for(seed, 'clock', client).between(-WRONG_US, WRONG_US) }],
  }));
}

function drawWorld(kind: Kind, seed: number, acquires: number): Scenario {
  const { prefetch: _, ...scenario } = drawScenario(Dice.for(seed, 'world'), acquires);
  if (kind === 'any') return scenario;
  // A bucket that changes, or that is spread by chance, gives each run something else to decide.
  const { spreading, changes, ...steady } = scenario;
  const alone = { ...steady, clients: 1, maxDelayUs: 0, maxSkewUs: 0, faults: NO_FAULTS };
  if (kind === 'serial') return { ...alone, crowd: 1 };
  // Nothing is given back while a crowd is served, all of it are ready to wait as long, and all need the same form: then
  // callers that write each for itself do not overtake one another by a wrong guess.
  const { share, ms } = scenario.waits;
  const [limits = []] = scenario.limits.values();
  return {
    ...alone,
    entities: [{ id: 'key', ancestors: [] }],
    limits: new Map([['key', limits]]),
    createdAt: 0,
    crowd: Math.max(4, scenario.crowd),
    waits: share > 0 ? { share: 1, ms: ms.slice(0, 1) } : scenario.waits,
    wholes: 0,
    settling: { release: 0, adjust: 0 },
  };
}

/** Who is admitted must not depend on a technique that decides nothing; and one that saves writes must not take more. */
function checkSame({ serves }: SimulatedTechnique, on: World, off: World): string[] {
  // One that decides may admit others instead; but not where all are admitted as it is.
  if (serves === 'callers' && off.history.rejected > 0) return [];
  const broken: string[] = [];
  const index = on.history.claims.findIndex((claim, call) => claim.ending !== off.history.claims[call]?.ending);
  if (index >= 0) broken.push(`call ${index} is ${describe(off.history.claims[index])}, with it ${describe(on.history.claims[index])}`);
  if (serves === 'writes' && on.history.writes > off.history.writes)
    broken.push(`it takes ${off.history.writes} writes, and with it more: ${on.history.writes}`);
  return broken;
}

function describe(claim: Claim | undefined): string {
  return claim === undefined ? 'missing' : `${claim.ending} (${JSON.stringify(claim.amounts)}, waiting ${claim.waitMs} ms)`;
}

function totalsOf({ history: { admitted, rejected, failed, writes, splits, merges } }: World): RunTotals {
  return { admitted, rejected, failed, writes, splits, merges };
}
