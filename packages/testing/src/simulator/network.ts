import {
  type BucketRef,
  type BucketState,
  type BucketStore,
  type BucketWrite,
  type ConfigEntry,
  type ConfigRef,
  type ConfigStore,
  StoreFailure,
  type WriteOutcome,
} from '@millrace/core';
import { Dice } from './dice.js';
import { add, creditKey, type Executed } from './history.js';
import type { WayWorld } from './world.js';

const TIMEOUT_US = 200_000;

/**
 * The way from one process to the store and back: it takes time, loses things, delivers some twice, and ends when the
 * process dies.
 *
 * What arrives twice are debits with a name, because whoever sends them may send them again: the limiter itself, when it
 * has heard nothing. All else arrives at most as often as it is sent. HTTP runs over a connection that delivers a request
 * once, and nothing on the way may repeat one that is not idempotent (RFC 9110, 9.2.2).
 */
export class Network implements BucketStore, ConfigStore {
  readonly #world: WayWorld;
  readonly #client: number;
  readonly #dice: Dice;
  /** A dead process sends nothing and hears nothing any more; what is on its way still arrives. */
  dead = false;
  /** Told when a request is sent; what it returns is told when its reply is there, and when that was written. */
  watch: (() => (writtenUs: number) => void) | undefined;

  constructor(world: WayWorld, client: number) {
    this.#world = world;
    this.#client = client;
    this.#dice = Dice.for(world.seed, 'network', client);
  }

  async write(write: BucketWrite): Promise<WriteOutcome> {
    const { faults, spreading } = this.#world.scenario;
    const { duplicates } = faults;
    const hotKeys = spreading?.hotKeys ?? 0;
    if (write.request !== undefined && duplicates > 0 && !this.dead && this.#dice.chance(duplicates)) {
      // Its answer goes nowhere.
      this.#world.time.in(this.#dice.between(0, 2 * this.#world.scenario.maxDelayUs), () => void this.#execute(write));
    }
    let executed: Executed | undefined;
    if (!this.dead) this.#noteCredits(write, 1);
    try {
      const outcome = await this.#carry(() => {
        if (hotKeys > 0 && this.#dice.chance(hotKeys)) return this.#fail(new StoreFailure('hot-key', 'no', 'simulated throttle of a key'));
        const done = this.#execute(write);
        executed = done.executed;
        return done.outcome;
      });
      if (executed !== undefined) executed.heard = true;
      if (outcome.kind === 'refused') this.#noteCredits(write, -1);
      return outcome;
    } catch (error) {
      if (error instanceof StoreFailure && error.applied === 'no') this.#noteCredits(write, -1);
      throw error;
    }
  }

  read(ref: BucketRef): Promise<BucketState | undefined> {
    return this.#carry(() => this.#world.store.bucket(ref));
  }

  readConfig(namespaceId: string, refs: readonly ConfigRef[]): Promise<readonly ConfigEntry[]> {
    return this.#carry(() => this.#world.store.readConfig(namespaceId, refs));
  }

  #execute(write: BucketWrite): { readonly executed: Executed; readonly outcome: WriteOutcome } {
    const { store, history, time } = this.#world;
    const before = store.bucket(write.ref);
    const outcome = store.apply(write);
    const [after, applied] = [store.bucket(write.ref), outcome.kind === 'written'];
    const executed = { atUs: time.nowUs, client: this.#client, write, before, after, applied, heard: false };
    history.writes += 1;
    if (applied && write.ref.shard === 0 && write.reshape?.form === 'split') history.splits += 1;
    if (applied && write.ref.shard === 0 && write.reshape?.form === 'absorb') history.merges += 1;
    history.executed.push(executed);
    return { executed, outcome };
  }

  #noteCredits({ ref, moves }: BucketWrite, sign: 1 | -1): void {
    for (const move of moves) {
      if (move.form !== 'credit' && move.form !== 'revive') continue;
      add(this.#world.history.creditsSent, creditKey(ref.entity, move.limit), sign * move.tokens);
    }
  }

  async #carry<T>(request: () => T | Promise<T>): Promise<T> {
    if (this.dead) return silence();
    const { time } = this.#world;
    const { faults, maxDelayUs } = this.#world.scenario;
    const replied = this.watch?.();
    await time.wait(this.#dice.between(0, maxDelayUs));
    if (this.#dice.chance(faults.throttles)) return this.#fail(new StoreFailure('throttled', 'no', 'simulated throttle'));
    if (this.#dice.chance(faults.lostRequests)) return this.#timeOut();
    const reply = await request();
    const writtenUs = time.nowUs;
    if (this.#dice.chance(faults.lostReplies)) return this.#timeOut();
    await time.wait(this.#dice.between(0, maxDelayUs));
    if (this.dead) return silence();
    replied?.(writtenUs);
    return reply;
  }

  async #timeOut(): Promise<never> {
    await this.#world.time.wait(TIMEOUT_US);
    return this.#fail(new StoreFailure('timeout', 'unknown', 'simulated loss'));
  }

  async #fail(failure: StoreFailure): Promise<never> {
    if (this.dead) return silence();
    throw failure;
  }
}

/** The answer that never comes. */
function silence(): Promise<never> {
  return new Promise(() => undefined);
}
