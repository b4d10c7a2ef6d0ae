import { callerUnits, monthlyBill, type Prices, SECONDS_PER_MONTH, scaled, type Units, type Workload } from '@millrace/cost';
import type { RateLimiter } from '@millrace/limiter';
import { type Card, deckOf } from './deck.js';
import { AMOUNTS, type Ground, RESOURCE, SCARCE } from './ground.js';
import { prepareScenario, type ScenarioStand } from './scenario-stand.js';

/** What a scenario was counted to cost, beside what the estimator says. */
export interface ScenarioCount {
  readonly acquires: number;
  /** In so many acquires. */
  readonly counted: Units;
  /** Of the counted writes, those that a condition refused. */
  readonly refusedWrites: number;
  /** What the formulas say of as many. */
  readonly estimated: Units;
  /** By how much of the estimate the count differs, at most, of read and write units. */
  readonly deviation: number;
}

/** Without a share of misses, the memory of each process takes so many of its lives to be as it always is. */
const LIVES_BEFORE = 5;

/**
 * Runs a scenario's acquires on the engine, at the pace of the scenario by a clock that does not pass by itself, and counts
 * what they make pass: by chance each process and each entity is next, and gaps are such that acquires come at random.
 */
export async function countScenario(ground: Ground, workload: Workload, acquires: number, prices: Prices): Promise<ScenarioCount> {
  const { meter, runtime } = ground;
  const stand = await prepareScenario(ground, workload);
  const player = new Player(ground, stand);
  const perSec = workload.acquiresPerMonth / SECONDS_PER_MONTH;
  const pass = (): void => runtime.advance((-Math.log(1 - runtime.random()) / perSec) * 1_000);

  await meter.uncounted(() => remember(stand));
  if (workload.configMissShare === undefined) {
    const untilMs = runtime.clock.nowMs() + LIVES_BEFORE * workload.configTtlSec * 1_000;
    await meter.uncounted(async () => {
      for (; runtime.clock.nowMs() < untilMs; pass()) await player.admit(random(stand.processes, runtime), false, 0);
    });
  }

  const before = meter.units;
  for (const card of deckOf(workload, acquires, runtime.random)) {
    pass();
    await player.play(card);
    await meter.settled();
  }
  const after = meter.units;
  const counted = {
    requests: after.requests - before.requests,
    readUnits: after.readUnits - before.readUnits,
    writeUnits: after.writeUnits - before.writeUnits,
  };
  const estimated = callerUnits(scaled(monthlyBill(workload, prices), acquires / workload.acquiresPerMonth));
  return { acquires, counted, refusedWrites: after.refused - before.refused, estimated, deviation: deviationOf(counted, estimated) };
}

/** The larger difference of read and write units, as a share of the estimate; of an estimate of none, any difference is whole. */
function deviationOf(counted: Units, estimated: Units): number {
  const of = (key: 'readUnits' | 'writeUnits'): number => {
    const difference = Math.abs(counted[key] - estimated[key]);
    return difference === 0 ? 0 : estimated[key] === 0 ? 1 : difference / estimated[key];
  };
  return Math.max(of('readUnits'), of('writeUnits'));
}

/** Has each process read what holds for each entity, so that what is counted begins with a memory. */
async function remember({ processes, plain, cascading }: ScenarioStand): Promise<void> {
  for (const limiter of processes) {
    for (const entity of [...plain, ...cascading]) await limiter.explain(entity, RESOURCE);
  }
}

function random<T>(values: readonly T[], runtime: Ground['runtime']): T {
  return values[Math.floor(runtime.random() * values.length)] as T;
}

/** Plays acquires of a scenario. */
class Player {
  readonly #ground: Ground;
  readonly #stand: ScenarioStand;

  constructor(ground: Ground, stand: ScenarioStand) {
    this.#ground = ground;
    this.#stand = stand;
  }

  async play({ cascades, fate, isCold, adjusts }: Card): Promise<void> {
    const { processes, cold } = this.#stand;
    const limiter = isCold ? cold : random(processes, this.#ground.runtime);
    if (fate === 'admitted') await this.admit(limiter, cascades, adjusts);
    else await this.#refuse(limiter, cascades, fate === 'refused locally');
  }

  async admit(limiter: RateLimiter, cascades: boolean, adjusts: number): Promise<void> {
    const { plain, cascading } = this.#stand;
    const lease = await limiter.acquire(random(cascades ? cascading : plain, this.#ground.runtime), RESOURCE, AMOUNTS);
    for (let index = 0; index < adjusts; index += 1) await lease.adjust({ tpm: 100 });
  }

  /** Of an entity that another process has drained; for a refusal from memory, this one has been refused there before. */
  async #refuse(limiter: RateLimiter, cascades: boolean, isLocal: boolean): Promise<void> {
    const ask = async (entity: string): Promise<void> => {
      const { allowed } = await limiter.tryAcquire(entity, SCARCE, AMOUNTS);
      if (allowed) throw new Error('an acquire that was to be refused was admitted: the scenario does not count what it says');
    };
    const entity = await this.#ground.meter.uncounted(async () => {
      const name = await this.#stand.spare(cascades);
      await this.#stand.drainer.acquire(name, SCARCE, AMOUNTS);
      await limiter.explain(name, SCARCE);
      if (isLocal) await ask(name);
      return name;
    });
    await ask(entity);
  }
}
