import { isMillraceError, type Limit } from '@millrace/core';
import { type Amounts, checkPrefetch, Engine, type Lease } from '@millrace/limiter/engine';
import type { Dice } from './dice.js';
import type { Claim, History } from './history.js';
import type { Network } from './network.js';
import type { Scenario } from './scenario.js';
import type { VirtualTime } from './virtual-time.js';

export const RESOURCE = 'model';
export const NAMESPACE = 'sim';

/** One process: an engine of its own, a clock that is wrong by some, and callers that come whenever they like. */
export class SimulatedClient {
  readonly engine: Engine;
  readonly #time: VirtualTime;
  readonly #scenario: Scenario;
  readonly #dice: Dice;
  readonly #history: History;
  readonly #network: Network;
  #skewUs: number;

  constructor(time: VirtualTime, scenario: Scenario, dice: Dice, history: History, network: Network) {
    this.#time = time;
    this.#scenario = scenario;
    this.#dice = dice;
    this.#history = history;
    this.#network = network;
    this.#skewUs = dice.between(-scenario.maxSkewUs, scenario.maxSkewUs);
    const prefetch = checkPrefetch(scenario.prefetch);
    this.engine = new Engine({
      store: network,
      namespaceId: NAMESPACE,
      clock: { nowMs: () => (time.nowUs + this.#skewUs) / 1000 },
      sleep: (ms) => time.wait(ms * 1000),
      random: () => dice.between(0, 1),
      deadlineMs: 5_000,
      configTtlMs: 60_000,
      maxEntries: 1_000,
      ...(prefetch === undefined ? {} : { prefetch }),
    });
  }

  /** Sets the clock anew, within its error: forwards or backwards. */
  jump(): void {
    this.#skewUs = this.#dice.between(-this.#scenario.maxSkewUs, this.#scenario.maxSkewUs);
  }

  /** The process dies: what it was doing is never finished, what it held is never settled. */
  crash(): void {
    this.#network.dead = true;
  }

  /** One caller: acquires, works for a while, settles. */
  async call(): Promise<void> {
    if (this.#network.dead) return;
    const { id } = this.#dice.pick(this.#scenario.entities);
    const amounts = this.#drawAmounts();
    const claim = newClaim(id, this.#time.nowUs);
    this.#history.claims.push(claim);
    this.#history.operations += 1;
    this.#history.acquires += 1;
    const isFaulty = this.#scenario.faults.lostReplies > 0;
    addAll(claim.unsureHigh, amounts);
    try {
      const verdict = await this.engine.tryAcquire(id, RESOURCE, amounts, { limits: (entity) => this.#limitsOf(entity) });
      // What a refusal had taken at other levels is given back, but that reply may be lost like any other.
      if (!isFaulty || verdict.allowed) addAll(claim.unsureHigh, amounts, -1);
      if (!verdict.allowed) {
        this.#history.rejected += 1;
        return;
      }
      this.#history.admitted += 1;
      addAll(claim.consumed, amounts);
      await this.#work(verdict.lease, claim);
    } catch (error) {
      if (!isFaulty || !isMillraceError(error) || error.code !== 'UNAVAILABLE') this.#history.surprises.push(String(error));
    }
  }

  async #work(lease: Lease, claim: Claim): Promise<void> {
    const { settling } = this.#scenario;
    if (this.#dice.chance(0.5)) await this.#time.wait(this.#dice.exponential(50_000));
    if (this.#dice.chance(settling.adjust)) await this.#adjust(lease, claim);
    if (this.#dice.chance(settling.release)) await this.#release(lease, claim);
    else await lease.commit();
  }

  async #adjust(lease: Lease, claim: Claim): Promise<void> {
    const deltas = Object.fromEntries(
      Object.entries(lease.consumed).map(([limit, tokens]) => [
        limit,
        this.#dice.integer(-tokens, Math.min(tokens, this.#scenario.maxCosts.get(limit) ?? 1)),
      ]),
    );
    this.#history.operations += 1;
    for (const [limit, delta] of Object.entries(deltas)) add(delta > 0 ? claim.unsureHigh : claim.unsureLow, limit, delta);
    await lease.adjust(deltas);
    for (const [limit, delta] of Object.entries(deltas)) {
      add(delta > 0 ? claim.unsureHigh : claim.unsureLow, limit, -delta);
      add(claim.consumed, limit, delta);
    }
  }

  async #release(lease: Lease, claim: Claim): Promise<void> {
    const held = lease.consumed;
    this.#history.operations += 1;
    addAll(claim.unsureLow, held, -1);
    await lease.release();
    addAll(claim.unsureLow, held);
    addAll(claim.consumed, held, -1);
  }

  #drawAmounts(): Amounts {
    const { entities, limits, maxCosts, wholes } = this.#scenario;
    const whole = this.#dice.chance(wholes) ? limits.get(entities[0]?.id ?? '') : undefined;
    if (whole !== undefined) return Object.fromEntries(whole.map((limit) => [limit.name, limit.capacity]));
    return Object.fromEntries([...maxCosts].map(([limit, maxCost]) => [limit, this.#dice.integer(1, maxCost)]));
  }

  #limitsOf(entity: string): readonly Limit[] | undefined {
    return this.#scenario.limits.get(entity);
  }
}

function newClaim(entity: string, atUs: number): Claim {
  return { entity, atUs, consumed: new Map(), unsureLow: new Map(), unsureHigh: new Map() };
}

function add(sums: Map<string, number>, limit: string, tokens: number): void {
  sums.set(limit, (sums.get(limit) ?? 0) + tokens);
}

function addAll(sums: Map<string, number>, amounts: Amounts, sign: 1 | -1 = 1): void {
  for (const [limit, tokens] of Object.entries(amounts)) add(sums, limit, sign * tokens);
}
