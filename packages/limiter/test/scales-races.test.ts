import { type BucketWrite, type Limit, StoreFailure } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { Holding } from '../src/engine/holding.js';
import { perMinute, REF, type ScaleProcess, ScaleWorld } from './scale-world.js';

const [FAST, SLOW] = [perMinute(1_000), perMinute(100)];
const [OLD, NEW] = [1, 2];

/** Does something just before the first write that rescales is done. */
function beforeRescale(world: ScaleWorld, work: () => Promise<unknown>, times = 1): void {
  let left = times;
  world.store.onWrite = async ({ moves }) => {
    if (left === 0 || moves[0]?.form !== 'rescale') return;
    left -= 1;
    await work();
  };
}

describe('a rescale that somebody overtakes', () => {
  it('fences off writers with the old configuration, and then happens', async () => {
    const world = new ScaleWorld();
    const [older, newer] = [world.open(), world.open()];
    await older.take(FAST, 500, OLD);
    beforeRescale(world, () => older.take(FAST, 1, OLD));

    const forms = await world.formsOf(() => newer.take(SLOW, 1, NEW));

    expect(forms).toEqual(['idle', 'rescale', 'busy', 'fence', 'rescale', 'busy']);
    expect(world.available(SLOW)).toBe(498);
    expect(await older.take(FAST, 1, OLD)).toMatchObject({ kind: 'stale', version: NEW });
  });

  it('happens once where the other one has the new configuration, too', async () => {
    const world = new ScaleWorld();
    const [one, other] = [world.open(), world.open()];
    await world.open().take(FAST, 500, OLD);
    beforeRescale(world, () => other.take(SLOW, 1, NEW));

    const forms = await world.formsOf(() => one.take(SLOW, 1, NEW));

    expect(forms).toEqual(['idle', 'rescale', 'idle', 'rescale', 'busy', 'busy']);
    expect(world.available(SLOW)).toBe(498);
  });

  it('is no fence against a credit, which asks for no configuration: it is tried again', async () => {
    const world = new ScaleWorld();
    const [older, newer] = [world.open(), world.open()];
    const holding = await older.hold(FAST, 500);
    beforeRescale(world, () => older.change(holding, -100), 3);

    await newer.take(SLOW, 1, NEW);

    expect(world.available(SLOW)).toBe(799);
  });

  it('ends with a refusal to go on where it never succeeds, and takes nothing', async () => {
    const world = new ScaleWorld();
    const [other, one] = [world.open(), world.open()];
    await other.take(FAST, 500, NEW);
    beforeRescale(world, () => other.take(FAST, 1, NEW), 1_000);

    await expect(one.take(SLOW, 1, NEW)).rejects.toThrow(StoreFailure);

    expect(world.store.writes.length).toBeLessThan(30);
    expect(world.store.bucket(REF)?.limits.get('rpm')?.scale).toBe('60000/1');
  });

  it('ends as stale where the writer itself is the one with the old configuration', async () => {
    const world = new ScaleWorld();
    const older = world.open();
    await older.take(FAST, 500, OLD);
    await world.open().take(SLOW, 1, NEW);

    expect(await older.take(FAST, 1, OLD)).toMatchObject({ kind: 'stale', version: NEW });
    expect(world.available(SLOW)).toBe(499);
  });

  it('of a bucket that expires meanwhile is a take from a full one', async () => {
    const world = new ScaleWorld();
    const engine = world.open();
    await engine.take(FAST, 500, OLD);
    beforeRescale(world, async () => world.store.expire(REF));

    expect(await world.formsOf(() => engine.take(SLOW, 1, NEW))).toEqual(['rescale', 'idle']);
  });
});

/**
 * Watches every interval at once, with the most that any of the configurations allows (the recursion of Lindley): no take
 * may lift what was taken and has not flowed back at the highest rate above the largest capacity.
 */
class Gauge {
  readonly #capacity: number;
  readonly #perUs: number;
  #level = 0;
  #lastUs = 0;
  admitted = 0;
  worst = 0;

  constructor(limits: readonly Limit[]) {
    this.#capacity = Math.max(...limits.map(({ capacity }) => capacity));
    this.#perUs = Math.max(...limits.map(({ refill, periodMs }) => refill / periodMs / 1000));
  }

  /** Notes the tokens that a write took (above zero) or gave back. */
  note(tokens: number, nowUs: number, isAcquire: boolean): void {
    const left = Math.max(0, this.#level - (nowUs - this.#lastUs) * this.#perUs);
    this.#level = Math.max(0, left + tokens);
    this.#lastUs = nowUs;
    if (!isAcquire) return;
    this.admitted += tokens;
    this.worst = Math.max(this.worst, this.#level - this.#capacity);
  }
}

interface Race {
  readonly limits: readonly Limit[];
  /** The version that goes with each of the limits; a process that is refused as stale takes up the newest. */
  readonly versionOf: (index: number) => number;
  readonly seed: number;
}

const PROCESSES = 4;
const ROUNDS = 150;

/** One process of a race: it knows one of the configurations, and holds leases of all of them. */
class Racer {
  readonly #engine: ScaleProcess;
  readonly #held: Holding[] = [];
  known = 0;

  constructor(engine: ScaleProcess) {
    this.#engine = engine;
  }

  async step({ limits, versionOf }: Race, random: () => number, newest: number): Promise<void> {
    const result = await this.#engine.take(limits[this.known] as Limit, 1 + Math.floor(random() * 30), versionOf(this.known));
    if (result.kind === 'stale') this.known = newest;
    if (result.kind === 'taken' && random() < 0.4) this.#held.push(this.#engine.holding(result));
    const settled = random() < 0.3 ? this.#held.pop() : undefined;
    if (settled !== undefined) await this.#engine.change(settled, random() < 0.3 ? 5 : -1_000);
  }
}

/**
 * Processes that hear of configurations one after the other take from one bucket at the same time. Time stands still
 * while requests are on their way, so that what they may admit has no tolerance.
 */
async function race(race: Race): Promise<{ readonly gauge: Gauge; readonly failures: number; readonly rescales: number }> {
  const world = new ScaleWorld(race.seed);
  const { random } = world.runtime;
  const gauge = new Gauge(race.limits);
  world.store.onWrite = async () => {
    for (let turns = Math.floor(random() * 6); turns > 0; turns -= 1) await undefined;
  };
  watch(world, gauge);

  const racers = Array.from({ length: PROCESSES }, () => new Racer(world.open()));
  let [newest, failures] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (random() < 0.1) newest = Math.min(race.limits.length - 1, newest + 1);
    for (const racer of racers) if (random() < 0.1) racer.known = newest;
    const steps = await Promise.allSettled(racers.map((racer) => racer.step(race, random, newest)));
    failures += steps.filter(({ status }) => status === 'rejected').length;
    world.runtime.advance(Math.floor(random() * 800));
  }
  const rescales = world.store.writes.filter(({ moves }) => moves[0]?.form === 'rescale').length;
  return { gauge, failures, rescales };
}

/** Notes what each write that lands takes or gives back. */
function watch(world: ScaleWorld, gauge: Gauge): void {
  const apply = world.store.apply.bind(world.store);
  world.store.apply = (write: BucketWrite) => {
    const outcome = apply(write);
    if (outcome.kind === 'refused') return outcome;
    for (const move of write.moves) {
      // A charge without an upper bound may go into debt.
      if (move.form === 'busy' || move.form === 'idle')
        gauge.note(move.tokens, world.nowUs, move.form === 'idle' || move.toUs !== undefined);
      if (move.form === 'credit' || move.form === 'revive') gauge.note(-move.tokens, world.nowUs, false);
    }
    return outcome;
  };
}

describe('processes with different rates on one bucket at once', () => {
  const seeds = Array.from({ length: 60 }, (_, index) => index + 1);

  it.each([
    { title: 'where each configuration is newer than the one before', versionOf: (index: number) => index + 1, mayFail: false },
    { title: 'where configurations cannot be told apart', versionOf: () => 0, mayFail: true },
  ])('never get more than the largest capacity and the highest rate allow, $title', async ({ versionOf, mayFail }) => {
    const limits = [1_000, 100, 20_000, 7, 300, 60_000].map((tokens) => perMinute(tokens, 100));
    for (const seed of seeds) {
      const { gauge, failures, rescales } = await race({ limits, versionOf, seed });
      expect({ seed, excess: gauge.worst > 1e-6 ? gauge.worst : 0 }).toEqual({ seed, excess: 0 });
      expect(gauge.admitted).toBeGreaterThan(100);
      expect(rescales).toBeGreaterThan(0);
      if (!mayFail) expect(failures).toBe(0);
    }
  });

  it('never get more either where the capacity changes with the rate', async () => {
    const limits = [1_000, 100, 2_000, 7].map((tokens) => perMinute(tokens, tokens));
    for (const seed of seeds) {
      const { gauge } = await race({ limits, versionOf: (index) => index + 1, seed });
      expect({ seed, excess: gauge.worst > 1e-6 ? gauge.worst : 0 }).toEqual({ seed, excess: 0 });
    }
  });
});
