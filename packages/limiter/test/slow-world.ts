import { type BucketWrite, Limit, type StoreFailure, type WriteOutcome } from '@millrace/core';
import { Engine, type EngineOptions } from '@millrace/limiter/engine';
import { FakeRuntime, MemoryStore } from '@millrace/testing';
import { refOf } from './engine-world.js';
import { Sleepers, settled } from './sleepers.js';

/** How a write fares: how long it is on its way to the store and back, and whether its reply is lost then. */
export interface Fate {
  readonly thereMs: number;
  readonly backMs: number;
  readonly failure?: StoreFailure;
  /** True if the request itself is lost, too. */
  readonly isNeverDone?: boolean;
}

export const QUICK: Fate = { thereMs: 5, backMs: 5 };
export const RPM = [Limit.perMinute('rpm', 10)];
export const RESOURCE = 'model';

/** A store at a distance that a test says of each write, in virtual time, and engines that hedge. */
export class SlowWorld {
  readonly runtime: FakeRuntime;
  readonly sleepers: Sleepers;
  readonly writes: BucketWrite[] = [];
  /** Those that were done, in the order in which they were. */
  readonly applied: BucketWrite[] = [];
  readonly #memory = new MemoryStore();
  #processes = 0;
  /** Decides about each write by its number, from 0 on. */
  fateOf: (index: number, write: BucketWrite) => Fate = () => QUICK;

  constructor(seed = 1) {
    this.runtime = new FakeRuntime({ seed });
    this.sleepers = new Sleepers((ms) => this.runtime.advance(ms));
  }

  /** One more process. */
  open(options: Partial<EngineOptions> = {}): Engine {
    const { clock, random } = this.runtime;
    const store = {
      write: (write: BucketWrite) => this.#write(write),
      read: (ref: BucketWrite['ref']) => this.#memory.read(ref),
      readConfig: (...request: Parameters<MemoryStore['readConfig']>) => this.#memory.readConfig(...request),
    };
    const times = { deadlineMs: 3_000, configTtlMs: 60_000, maxEntries: 100_000 };
    return new Engine({ store, namespaceId: 'ns', clock, sleep: this.sleepers.sleep, random, hedging: true, ...times, ...options });
  }

  /** A process that has learned that a write takes 10 ms, and has second copies to spend; its writes are forgotten. */
  async learned(options: Partial<EngineOptions> = {}): Promise<Engine> {
    const engine = this.open(options);
    const fateOf = this.fateOf;
    this.fateOf = () => QUICK;
    this.#processes += 1;
    const names = Array.from({ length: 64 }, (_, index) => `warm-${this.#processes}-${index}`);
    await this.during(Promise.all(names.map((name) => engine.acquire(name, RESOURCE, { rpm: 1 }, { limits: RPM }))));
    this.writes.length = 0;
    this.fateOf = fateOf;
    return engine;
  }

  /** Waits, as far as virtual time is concerned, until work has ended, and says how long that took. */
  async during<T>(work: Promise<T>, mostMs = 20_000): Promise<{ readonly value: T; readonly tookMs: number }> {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    let tookMs = 0;
    for (await settled(); !isOver; ) {
      const { nextInMs } = this.sleepers;
      if (nextInMs === undefined || tookMs + nextInMs > mostMs) throw new Error(`not over within ${mostMs} ms`);
      tookMs += nextInMs;
      await this.sleepers.pass(nextInMs);
    }
    return { value: await over, tookMs };
  }

  /** Lets everything arrive that is still on its way. */
  drain(): Promise<void> {
    return this.sleepers.pass(20_000);
  }

  /** What was taken of an entity's limit and not given back. */
  net(entity: string): number {
    const held = this.#memory.bucket(refOf(entity))?.limits.get('rpm');
    return held === undefined ? 0 : Number(held.used - held.returned);
  }

  async #write(write: BucketWrite): Promise<WriteOutcome> {
    const { thereMs, backMs, failure, isNeverDone = false } = this.fateOf(this.writes.push(write) - 1, write);
    await this.sleepers.sleep(thereMs);
    const outcome = isNeverDone ? undefined : this.#memory.apply(write);
    if (outcome?.kind === 'written') this.applied.push(write);
    await this.sleepers.sleep(backMs);
    if (failure !== undefined || outcome === undefined) throw failure ?? new Error('a request that is lost needs a failure');
    return outcome;
  }
}
