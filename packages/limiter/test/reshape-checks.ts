import { type BucketStore, Limit, layoutOf, shardCount } from '@millrace/core';
import { Crash } from '@millrace/testing';
import { expect } from 'vitest';
import { type Spreader, SpreadWorld } from './spread-world.js';

/** A token comes back in a tenth of a second. */
const LIMIT = Limit.perMinute('rpm', 600, { capacity: 400, reserve: 0 });
const OTHER = Limit.perMinute('tpm', 6_000, { capacity: 4_000, reserve: 0 });
export const LIMITS = [LIMIT, OTHER];
export const ALL = { limits: LIMITS };

/** A process that dies at its request of that number: neither that one nor any later one is answered. */
export class Mortal implements BucketStore {
  requests = 0;
  readonly #store: BucketStore;
  readonly #at: number;
  readonly #when: 'before' | 'after';

  constructor(store: BucketStore, at: number, when: 'before' | 'after') {
    this.#store = store;
    this.#at = at;
    this.#when = when;
  }

  get hasDied(): boolean {
    return this.requests >= this.#at;
  }

  write: BucketStore['write'] = (write) => this.#request(() => this.#store.write(write));
  read: BucketStore['read'] = (ref) => this.#request(() => this.#store.read(ref));

  async #request<T>(carryOut: () => Promise<T>): Promise<T> {
    if (this.hasDied) throw new Crash('the process is dead');
    this.requests += 1;
    if (!this.hasDied) return carryOut();
    if (this.#when === 'after') await carryOut();
    throw new Crash(`the process dies ${this.#when} request ${this.requests}`);
  }
}

/** A decision that a process tries to carry out. */
export type Act = (spreader: Spreader, world: SpreadWorld) => Promise<boolean>;
export const split: Act = (spreader, { ref }) => spreader.split(ref, LIMITS);
export const merge: Act = (spreader, { ref }) => spreader.merge(ref, LIMITS);

/** A bucket of so many items that lack something, each another amount, and an engine that has met it so. */
export async function prepare(from: number) {
  const world = new SpreadWorld();
  const knowing = world.engine();
  await knowing.acquire('key', 'model', { rpm: 10, tpm: 7 }, ALL);
  await world.spreader().spreadTo(from, world.ref, LIMITS);
  for (let shard = 0; shard < from; shard += 1) {
    // A tenth of a second for a token of an undivided bucket; time passes so that the process goes on to another item.
    await knowing.acquire('key', 'model', { rpm: 3 + (shard % 5) }, ALL);
    world.runtime.advance(101);
  }
  return { world, knowing, lackingUs: lackOf(world), net: netOf(world) };
}

/** What all items lack together, of each limit. */
const lackOf = (world: SpreadWorld) => LIMITS.map(({ name }) => world.lackingUs(name));
export const netOf = (world: SpreadWorld) => LIMITS.map(({ name }) => world.net(name));

/** Expects a bucket whose items all are where the first one says, with nothing left to do. */
export function expectWhole(world: SpreadWorld): void {
  const items = world.items();
  const layout = layoutOf(items[0]);
  for (const [shard, state] of items.entries()) {
    if (shard < shardCount(layout))
      expect([shard, layoutOf(state), state?.nextLayout, state?.seeds?.size ?? 0]).toEqual([shard, layout, undefined, 0]);
    else if (state !== undefined) expect(shardCount(layoutOf(state)), `item ${shard} is retired`).toBeLessThanOrEqual(shard);
  }
}

/** Merges round up, by less than a microsecond for each item. */
export function expectLacking(world: SpreadWorld, expectedUs: readonly number[], slackUs = 8): void {
  for (const [index, us] of lackOf(world).entries()) {
    expect(us).toBeGreaterThanOrEqual(expectedUs[index] ?? 0);
    expect(us).toBeLessThanOrEqual((expectedUs[index] ?? 0) + slackUs);
  }
}

/** The next decisions, which carry out what is left of those before. */
export async function spreadThrough(world: SpreadWorld, goals: readonly number[]): Promise<void> {
  const spreader = world.spreader();
  // A decision that finds another one under way carries that out, and leaves its own to the next try.
  for (const goal of goals) await spreader.spreadTo(goal, world.ref, LIMITS).catch(() => spreader.spreadTo(goal, world.ref, LIMITS));
}

/** Draws what is next, from a seed. */
export function drawing(seed: number): (of: number) => number {
  let state = seed;
  return (of) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * of);
  };
}
