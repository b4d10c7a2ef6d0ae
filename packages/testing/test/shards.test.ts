import { type BucketState, bucketName, Limit, shardCount } from '@millrace/core';
import { Engine } from '@millrace/limiter/engine';
import { describe, expect, it } from 'vitest';
import { FakeRuntime } from '../src/fake-runtime.js';
import { MemoryStore } from '../src/memory-store.js';
import { checkAdmission } from '../src/simulator/check-admission.js';
import { Dice } from '../src/simulator/dice.js';
import { newHistory } from '../src/simulator/history.js';
import { Network } from '../src/simulator/network.js';
import { VirtualTime } from '../src/simulator/virtual-time.js';

const START_US = 1_800_000_000_000_000;
const NO_FAULTS = { lostRequests: 0, lostReplies: 0, throttles: 0, crashes: 0, duplicates: 0 };
const MAX_DELAY_US = 4_000;
const REF = { namespaceId: 'sim', entity: 'hot', resource: 'model', shard: 0 };
const SECOND_US = 1_000_000;

type Sharding = NonNullable<ConstructorParameters<typeof Engine>[0]['sharding']>;

/** Several processes and one bucket, in virtual time. */
class HotWorld {
  readonly time = new VirtualTime(START_US);
  readonly store = new MemoryStore();
  readonly history = newHistory();
  readonly engines: readonly Engine[];
  readonly layouts: number[] = [1];
  readonly #dice: Dice;
  readonly #limits: readonly Limit[];
  readonly #sharding: Sharding;
  readonly #seed: number;
  #processes = 0;
  admitted = 0;
  rejected = 0;

  constructor(seed: number, limits: readonly Limit[], processes: number, sharding: Sharding) {
    this.#seed = seed;
    this.#limits = limits;
    this.#sharding = sharding;
    this.#dice = new Dice(new FakeRuntime({ seed }).random);
    this.engines = Array.from({ length: processes }, () => this.#engine(sharding));
  }

  /** Lets all processes together ask for so many tokens a second, in requests of up to so many. */
  load(forUs: number, tokensPerSec: number, maxCost: number): Promise<void> {
    const calls = Math.round((tokensPerSec * forUs) / SECOND_US / ((1 + maxCost) / 2));
    for (let call = 0; call < calls; call += 1) {
      const engine = this.engines[call % this.engines.length];
      const cost = this.#dice.integer(1, maxCost);
      this.time.in(this.#dice.between(0, forUs), () => void this.#call(engine as Engine, cost));
    }
    return this.time.run();
  }

  async ask(engine: Engine, tokens: number): Promise<boolean> {
    const asked = engine.tryAcquire('hot', 'model', { tokens }, { limits: this.#limits });
    await this.time.run();
    return (await asked).allowed;
  }

  pass(us: number): Promise<void> {
    this.time.in(us, () => undefined);
    return this.time.run();
  }

  /** A process that has just begun, and knows nothing. */
  fresh(): Engine {
    return this.#engine(this.#sharding);
  }

  item(shard: number): BucketState | undefined {
    return this.store.bucket({ ...REF, shard });
  }

  get shards(): number {
    return shardCount(this.item(0)?.layout ?? 1);
  }

  /** What all items together admitted beyond what an undivided bucket may. */
  broken(limit: Limit): string[] {
    const taken = this.history.executed.filter(({ write }) => bucketName({ ...write.ref, shard: 0 }) === bucketName(REF));
    return checkAdmission(limit, taken, { skewUs: 0, delayUs: MAX_DELAY_US });
  }

  #engine(sharding: Sharding): Engine {
    const { time, store, history } = this;
    const scenario = { maxDelayUs: MAX_DELAY_US, faults: NO_FAULTS };
    this.#processes += 1;
    const network = new Network({ seed: this.#seed, time, store, history, scenario }, this.#processes);
    return new Engine({
      store: network,
      namespaceId: 'sim',
      clock: { nowMs: () => this.time.nowUs / 1000 },
      sleep: (ms) => this.time.wait(ms * 1000),
      random: () => this.#dice.between(0, 1),
      deadlineMs: 5_000,
      configTtlMs: 60_000,
      maxEntries: 1_000,
      sharding,
    });
  }

  async #call(engine: Engine, tokens: number): Promise<void> {
    const verdict = await engine.tryAcquire('hot', 'model', { tokens }, { limits: this.#limits });
    if (verdict.allowed) {
      this.admitted += tokens;
      await verdict.lease.commit();
    } else this.rejected += 1;
    if (this.layouts.at(-1) !== this.shards) this.layouts.push(this.shards);
  }
}

const FAST = Limit.perSecond('tokens', 20_000, { capacity: 10_000 });

describe('a bucket that is too hot for one item', { timeout: 60_000 }, () => {
  const sharding = { maxShards: 4, splitPerSec: 60, mergePerSec: 20, settleMs: 10_000 };

  it.each([1, 2, 3])(
    'goes from 1 item to 2, to 4 and back to 2 while 4 processes take from it, and admits what one would (seed %i)',
    async (seed) => {
      const world = new HotWorld(seed, [FAST], 4, sharding);

      await world.load(25 * SECOND_US, 30_000, 200);
      expect(world.layouts).toEqual([1, 2, 4]);
      const busy = world.admitted;
      while (world.shards > 2) await world.load(10 * SECOND_US, 200, 20);

      expect(world.layouts).toEqual([1, 2, 4, 2]);
      expect(world.broken(FAST)).toEqual([]);
      expect(busy / (FAST.capacity + 25 * 20_000)).toBeGreaterThanOrEqual(0.97);
    },
  );

  it('gives a request as large as the capacity what an undivided bucket would, and then every smaller one', async () => {
    const world = new HotWorld(7, [FAST], 4, sharding);
    await world.load(25 * SECOND_US, 30_000, 200);
    expect(world.shards).toBe(4);
    const [engine] = world.engines as [Engine];

    for (const tokens of [10_000, 9_999, 2_501, 2_500, 2_400]) {
      await world.pass(2 * SECOND_US);
      expect(await world.ask(engine, tokens), `${tokens} tokens of a full bucket`).toBe(true);
    }
    expect(world.broken(FAST)).toEqual([]);
  });

  it('admits a large request in time, while small ones use half of the rate', async () => {
    const world = new HotWorld(8, [FAST], 4, sharding);
    await world.load(25 * SECOND_US, 30_000, 200);
    const [engine] = world.engines as [Engine];
    let isAdmitted = false;
    const retry = async (): Promise<void> => {
      const verdict = await engine.tryAcquire('hot', 'model', { tokens: 5_000 }, { limits: [FAST] });
      isAdmitted ||= verdict.allowed;
      if (!verdict.allowed) world.time.in(verdict.retryAfterMs * 1_000, () => void retry());
    };

    world.time.in(SECOND_US, () => void retry());
    await world.load(10 * SECOND_US, 10_000, 20);

    expect(isAdmitted).toBe(true);
  });
});

describe('a bucket that is not', { timeout: 60_000 }, () => {
  it('is not spread by a write a second, however long that goes on (one of the peers doubles it for ever)', async () => {
    const limit = Limit.perSecond('tokens', 1_000);
    const world = new HotWorld(1, [limit], 2, {});

    await world.load(3_000 * SECOND_US, 1, 1);

    expect(world.history.writes).toBeGreaterThan(2_900);
    expect(world.layouts).toEqual([1]);
  });

  it('is not spread again by processes that have just begun, nor by what was written before', async () => {
    const world = new HotWorld(2, [FAST], 4, { maxShards: 32, splitPerSec: 200, mergePerSec: 20, settleMs: 10_000 });
    await world.load(20 * SECOND_US, 30_000, 200);
    const { shards } = world;
    expect(shards).toBeGreaterThan(1);

    for (let process = 0; process < 8; process += 1) expect(await world.ask(world.fresh(), 1)).toBe(true);
    await world.load(30 * SECOND_US, 8, 1);

    expect(world.shards).toBe(shards);
  });

  it('is not spread over more items than it has tens of tokens', async () => {
    const small = Limit.perSecond('tokens', 1_000, { capacity: 39 });
    const world = new HotWorld(3, [small], 4, { splitPerSec: 20 });

    await world.load(60 * SECOND_US, 3_000, 1);

    expect(world.layouts).toEqual([1, 2]);
  });
});
