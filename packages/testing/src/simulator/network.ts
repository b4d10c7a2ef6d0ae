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
import type { MemoryStore } from '../memory-store.js';
import type { Dice } from './dice.js';
import type { History } from './history.js';
import type { Scenario } from './scenario.js';
import type { VirtualTime } from './virtual-time.js';

const TIMEOUT_US = 200_000;

/** The way from one process to the store and back: it takes time, loses things, and ends when the process dies. */
export class Network implements BucketStore, ConfigStore {
  readonly #time: VirtualTime;
  readonly #store: MemoryStore;
  readonly #scenario: Pick<Scenario, 'maxDelayUs' | 'faults'>;
  readonly #dice: Dice;
  readonly #history: History;
  /** A dead process sends nothing and hears nothing any more; what is on its way still arrives. */
  dead = false;

  constructor(time: VirtualTime, store: MemoryStore, scenario: Pick<Scenario, 'maxDelayUs' | 'faults'>, dice: Dice, history: History) {
    this.#time = time;
    this.#store = store;
    this.#scenario = scenario;
    this.#dice = dice;
    this.#history = history;
  }

  async write(write: BucketWrite): Promise<WriteOutcome> {
    return this.#carry(() => {
      const before = this.#store.bucket(write.ref);
      const outcome = this.#store.apply(write);
      this.#history.writes += 1;
      this.#history.executed.push({
        atUs: this.#time.nowUs,
        write,
        before,
        after: this.#store.bucket(write.ref),
        applied: outcome.kind === 'written',
      });
      return outcome;
    });
  }

  read(ref: BucketRef): Promise<BucketState | undefined> {
    return this.#carry(() => this.#store.bucket(ref));
  }

  readConfig(namespaceId: string, refs: readonly ConfigRef[]): Promise<readonly ConfigEntry[]> {
    return this.#carry(() => this.#store.readConfig(namespaceId, refs));
  }

  async #carry<T>(request: () => T | Promise<T>): Promise<T> {
    if (this.dead) return silence();
    const { faults, maxDelayUs } = this.#scenario;
    await this.#time.wait(this.#dice.between(0, maxDelayUs));
    if (this.#dice.chance(faults.throttles)) return this.#fail(new StoreFailure('throttled', 'no', 'simulated throttle'));
    if (this.#dice.chance(faults.lostRequests)) return this.#timeOut();
    const reply = await request();
    if (this.#dice.chance(faults.lostReplies)) return this.#timeOut();
    await this.#time.wait(this.#dice.between(0, maxDelayUs));
    return this.dead ? silence() : reply;
  }

  async #timeOut(): Promise<never> {
    await this.#time.wait(TIMEOUT_US);
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
