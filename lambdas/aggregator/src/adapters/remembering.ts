import type { Clock } from '@millrace/core';

/**
 * Remembers what was read, for a while, and reads what is asked for twice at once only once. A failure is not remembered.
 * When it is full it begins anew: what it saves is a request, which is no reason for a list of who was asked for when.
 */
export class Remembering<T> {
  readonly #entries = new Map<string, { readonly value: Promise<T>; readonly untilMs: number }>();
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #most: number;

  constructor(clock: Clock, forMs: number, most: number) {
    this.#clock = clock;
    this.#forMs = forMs;
    this.#most = most;
  }

  get(name: string, read: () => Promise<T>): Promise<T> {
    const [nowMs, known] = [this.#clock.nowMs(), this.#entries.get(name)];
    if (known !== undefined && nowMs < known.untilMs) return known.value;
    if (this.#entries.size >= this.#most) this.#entries.clear();
    const entry = { value: read(), untilMs: nowMs + this.#forMs };
    this.#entries.set(name, entry);
    entry.value.catch(() => {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    });
    return entry.value;
  }
}
