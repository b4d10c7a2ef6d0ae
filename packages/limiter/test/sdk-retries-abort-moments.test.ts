import { Limit } from '@millrace/core';
import { Engine } from '@millrace/limiter/engine';
import { FakeRuntime, MemoryStore } from '@millrace/testing';
import { describe, expect, it } from 'vitest';

const CAPACITY = 10;
const limits = [Limit.perMinute('rpm', CAPACITY)];
/** More turns than an acquire needs from its debit to its lease. */
const MOMENTS = Array.from({ length: 40 }, (_, turns) => ({ turns }));

/** A store that calls `after` so many turns of the microtask queue after its first write. */
class TellingStore extends MemoryStore {
  #after: (() => void) | undefined;
  readonly #turns: number;

  constructor(turns: number, after: () => void) {
    super();
    this.#turns = turns;
    this.#after = after;
  }

  override async write(write: Parameters<MemoryStore['write']>[0]) {
    const outcome = await super.write(write);
    if (this.#after !== undefined) this.#wait(this.#turns, this.#after);
    this.#after = undefined;
    return outcome;
  }

  #wait(turns: number, then: () => void): void {
    queueMicrotask(() => (turns === 0 ? then() : this.#wait(turns - 1, then)));
  }
}

describe('an acquire whose signal is aborted just as its debit is answered', () => {
  it.each(MOMENTS)('gives a lease that holds its tokens, or is aborted and holds none: $turns turns later', async ({ turns }) => {
    const runtime = new FakeRuntime();
    const controller = new AbortController();
    const store = new TellingStore(turns, () => controller.abort());
    const { clock, sleep, random } = runtime;
    const engine = new Engine({ store, namespaceId: 'n', clock, sleep, random, deadlineMs: 1_000, configTtlMs: 60_000, maxEntries: 9 });

    const outcome = await engine.acquire('key', 'api', { rpm: 4 }, { limits, signal: controller.signal }).catch(({ code }) => code);
    const left = async () => (await engine.available('key', 'api', { limits }))['rpm'];
    // Giving back runs beside the caller: it has ended when nothing is left to run.
    await new Promise((resolve) => setImmediate(resolve));

    if (outcome === 'ABORTED') expect(await left()).toBe(CAPACITY);
    else expect([outcome.settled, await left()]).toEqual([false, CAPACITY - 4]);
  });
});
