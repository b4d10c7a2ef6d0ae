import { type BucketState, type Clock, isMillraceError, layoutOf, shardCount } from '@millrace/core';
import {
  type AcquireOptions,
  type Amounts,
  ClockOffset,
  CorrectedClock,
  checkPrefetch,
  Engine,
  type Lease,
  type Verdict,
} from '@millrace/limiter/engine';
import { Dice } from './dice.js';
import { generationsOf } from './generations.js';
import { add, addAll, type Claim, type Ending } from './history.js';
import type { Network } from './network.js';
import { levelsOf } from './scenario.js';
import type { Call } from './schedule.js';
import { callFor, engineOptions } from './techniques.js';
import type { World } from './world.js';

export const RESOURCE = 'model';
export const NAMESPACE = 'sim';

/** One process: an engine of its own, a clock that is wrong by some, and callers that come whenever they like. */
export class SimulatedClient {
  readonly engine: Engine;
  readonly #world: World;
  readonly #index: number;
  readonly #network: Network;
  readonly #generations: ReturnType<typeof generationsOf>;
  readonly #clock: Clock;
  #generation = 0;
  #skewUs = 0;

  constructor(world: World, index: number, network: Network) {
    this.#world = world;
    this.#index = index;
    this.#network = network;
    this.#generations = generationsOf(world.scenario);
    const { time } = world;
    this.#clock = { nowMs: () => (time.nowUs + this.#skewUs) / 1000 };
    const dice = Dice.for(world.seed, 'engine', index);
    const { prefetch: wanted, spreading } = world.scenario;
    const prefetch = checkPrefetch(wanted);
    const options = {
      store: network,
      namespaceId: NAMESPACE,
      clock: world.scenario.corrected === true ? this.#correctedClock() : this.#clock,
      sleep: (ms: number) => time.wait(ms * 1000),
      random: () => dice.between(0, 1),
      deadlineMs: 5_000,
      configTtlMs: 60_000,
      maxEntries: 1_000,
      sharding: spreading?.sharding ?? { maxShards: 1 },
      ...(prefetch === undefined ? {} : { prefetch }),
    };
    this.engine = new Engine(engineOptions(options, world.without));
  }

  /** Sets the clock anew, forwards or backwards. */
  jump(skewUs: number): void {
    this.#skewUs = skewUs;
  }

  /** The clock with what the replies prove against it: they say the second in which they were written, cut off. */
  #correctedClock(): Clock {
    const offset = new ClockOffset();
    this.#network.watch = () => {
      const sentMs = this.#clock.nowMs();
      return (writtenUs) => offset.observe(Math.floor(writtenUs / 1_000_000) * 1_000, sentMs, this.#clock.nowMs());
    };
    return new CorrectedClock(this.#clock, offset);
  }

  /** Hands in other limits from now on. */
  goOverTo(generation: number): void {
    const { history, time } = this.#world;
    this.#generation = generation;
    history.switches.push({ atUs: time.nowUs, generation, client: this.#index });
  }

  /** The process dies: what it was doing is never finished, what it held is never settled. */
  crash(): void {
    this.#network.dead = true;
  }

  /** One caller: acquires, works for a while, settles. */
  async call(scheduled: Call): Promise<void> {
    if (this.#network.dead) return;
    const { history, scenario, time } = this.#world;
    const call = callFor(scheduled, this.#world.without);
    const { entity, amounts, waitMs } = call;
    const claim = newClaim(this.#index, call, time.nowUs);
    history.claims.push(claim);
    history.operations += 1;
    history.acquires += 1;
    addAll(claim.unsureHigh, amounts);
    const calledAt = time.events;
    try {
      const verdict = await this.engine.tryAcquire(entity, RESOURCE, amounts, { ...this.#limitsOption(), waitMs });
      this.#tell(claim, verdict.allowed ? 'admitted' : 'rejected');
      // Nothing has happened in this world since it was called, so nobody can have been asked.
      if (!verdict.allowed && calledAt === time.events) this.#noteLocalRejection(claim);
      await this.#use(verdict, claim, call);
    } catch (error) {
      if (claim.ending === 'pending') this.#tell(claim, 'failed');
      // Processes that hand in different rates may each undo what the other has rescaled, until one of them gives up.
      const mayFail = hasFaults(this.#world) || scenario.spreading !== undefined || scenario.changes?.source === 'call';
      const isExplained = mayFail && isMillraceError(error) && error.code === 'UNAVAILABLE';
      if (!isExplained) history.surprises.push(String(error));
    }
  }

  /** Stored limits are the engine's own business. */
  #limitsOption(): Pick<AcquireOptions, 'limits'> {
    if (this.#world.scenario.changes?.source === 'stored') return {};
    const limits = this.#generations[this.#generation];
    return { limits: (level) => limits?.get(level) };
  }

  #tell(claim: Claim, ending: Exclude<Ending, 'pending'>): void {
    const { history, scenario, time } = this.#world;
    history.told += 1;
    history[ending] += 1;
    claim.ending = ending;
    claim.toldUs = time.nowUs;
    claim.toldAs = history.told;
    // What other levels had taken is given back.
    if (ending !== 'admitted' && levelsOf(scenario, claim.entity).length > 1) addAll(claim.returned, claim.amounts);
    if (ending === 'admitted' || !hasFaults(this.#world)) addAll(claim.unsureHigh, claim.amounts, -1);
  }

  #noteLocalRejection(claim: Claim): void {
    const { history, scenario, store, time } = this.#world;
    const levels = levelsOf(scenario, claim.entity).map((entity) => ({
      entity,
      items: itemsOf(store, entity),
    }));
    const nowUs = this.engine.clock.nowUs();
    history.localRejections.push({ claim, atUs: time.nowUs, nowUs, executed: history.executed.length, levels });
  }

  async #use(verdict: Verdict, claim: Claim, { workUs, deltas, isReleased }: Call): Promise<void> {
    if (!verdict.allowed) return;
    addAll(claim.consumed, claim.amounts);
    if (workUs > 0) await this.#world.time.wait(workUs);
    if (deltas !== undefined) await this.#adjust(verdict.lease, deltas, claim);
    if (isReleased) await this.#release(verdict.lease, claim);
    else await verdict.lease.commit();
  }

  async #adjust(lease: Lease, deltas: Amounts, claim: Claim): Promise<void> {
    this.#world.history.operations += 1;
    for (const [limit, delta] of Object.entries(deltas)) {
      add(delta > 0 ? claim.unsureHigh : claim.unsureLow, limit, delta);
      if (delta < 0) add(claim.returned, limit, -delta);
    }
    await lease.adjust(deltas);
    for (const [limit, delta] of Object.entries(deltas)) {
      add(delta > 0 ? claim.unsureHigh : claim.unsureLow, limit, -delta);
      add(claim.consumed, limit, delta);
    }
  }

  async #release(lease: Lease, claim: Claim): Promise<void> {
    const held = lease.consumed;
    this.#world.history.operations += 1;
    addAll(claim.unsureLow, held, -1);
    addAll(claim.returned, held);
    await lease.release();
    addAll(claim.unsureLow, held);
    addAll(claim.consumed, held, -1);
  }
}

/** The items of a bucket by the layout that the first one says, which is that of whoever takes from it. */
function itemsOf(store: World['store'], entity: string): readonly (BucketState | undefined)[] {
  const place = { namespaceId: NAMESPACE, entity, resource: RESOURCE };
  const first = store.bucket({ ...place, shard: 0 });
  const count = shardCount(layoutOf(first));
  return Array.from({ length: count }, (_, shard) => (shard === 0 ? first : store.bucket({ ...place, shard })));
}

function hasFaults({ scenario }: World): boolean {
  return Object.values(scenario.faults).some((share) => share > 0);
}

function newClaim(client: number, { entity, amounts, waitMs }: Call, atUs: number): Claim {
  const [consumed, unsureLow, unsureHigh, returned] = [new Map(), new Map(), new Map(), new Map()];
  return {
    client,
    entity,
    amounts,
    waitMs,
    atUs,
    consumed,
    unsureLow,
    unsureHigh,
    returned,
    ending: 'pending',
    toldUs: 0,
    toldAs: 0,
  };
}
