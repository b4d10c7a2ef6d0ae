import type { AbortSignalLike } from '@millrace/core';

/** Sleeps that end when a test says that their time has come, each at its moment, and in order. */
export class Sleepers {
  #nowMs = 0;
  readonly #sleeping = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  readonly #advance: (ms: number) => void;

  /** `advance` moves the clock that callers look at. */
  constructor(advance: (ms: number) => void) {
    this.#advance = advance;
  }

  get count(): number {
    return this.#sleeping.size;
  }

  /** How long it is until the next one wakes, if any sleeps. */
  get nextInMs(): number | undefined {
    const times = [...this.#sleeping].map(({ atMs }) => atMs - this.#nowMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  readonly sleep = (ms: number, signal?: AbortSignalLike): Promise<void> =>
    new Promise((resolve) => {
      const entry = {
        atMs: this.#nowMs + ms,
        wake: () => {
          this.#sleeping.delete(entry);
          resolve();
        },
      };
      this.#sleeping.add(entry);
      signal?.addEventListener('abort', entry.wake, { once: true });
    });

  /** Lets time pass, from one moment at which somebody wakes to the next. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await settled();
      const next = [...this.#sleeping].sort((a, b) => a.atMs - b.atMs)[0];
      const atMs = Math.min(next?.atMs ?? endMs, endMs);
      this.#advance(atMs - this.#nowMs);
      this.#nowMs = atMs;
      if (next === undefined || next.atMs > endMs) return;
      next.wake();
    }
  }
}

/** Lets everything run that does not wait for time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
}
