import type { AbortSignalLike } from '@millrace/core';

/** Ends one wait, and says how: a signal of our own, since not every runtime has an AbortController. */
export class Ending<How> implements AbortSignalLike {
  readonly #listeners = new Set<() => void>();
  how: How | undefined;

  get aborted(): boolean {
    return this.how !== undefined;
  }

  end(how: How): void {
    if (this.how !== undefined) return;
    this.how = how;
    for (const listener of this.#listeners) listener();
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
