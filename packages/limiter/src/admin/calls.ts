import { LimiterClosed, publicError } from '../engine/index.js';

/** Calls that are running, and whether there may be more. */
export class Calls {
  readonly #running = new Set<Promise<unknown>>();
  #ended = false;

  async run<T>(operation: string, work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new LimiterClosed(operation);
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw publicError(error);
    } finally {
      this.#running.delete(running);
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.allSettled(this.#running);
  }
}
