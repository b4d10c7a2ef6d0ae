import type { Sleep } from '@millrace/core';

/** A bounded number of places. Who finds none waits for one, first come first served; as many may wait as there are places. */
export class Places {
  readonly #max: number;
  readonly #sleep: Sleep;
  readonly #waiting = new Set<(hasPlace: boolean) => void>();
  #free: number;

  constructor(max: number, sleep: Sleep) {
    this.#max = max;
    this.#sleep = sleep;
    this.#free = max;
  }

  /** True once a place is taken; false if none came free in that time, or too many wait already. */
  async take(waitMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    if (this.#waiting.size >= this.#max) return false;
    const settled = new AbortController();
    return new Promise((resolve) => {
      const turn = (hasPlace: boolean): void => {
        // A second call, when the wait is cut short, finds nothing to settle.
        if (!this.#waiting.delete(turn)) return;
        settled.abort();
        resolve(hasPlace);
      };
      this.#waiting.add(turn);
      void this.#sleep(waitMs, settled.signal).then(() => turn(false));
    });
  }

  /** Gives places back: to those who wait, the first of them first. */
  give(count: number): void {
    let left = count;
    for (const turn of this.#waiting) {
      if (left === 0) break;
      left -= 1;
      turn(true);
    }
    this.#free += left;
  }

  /** Sends away those who wait. */
  close(): void {
    for (const turn of this.#waiting) turn(false);
  }
}
