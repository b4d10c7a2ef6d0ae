import type { Request } from './request.js';

/** How an acquire was decided; `locally-rejected` needed no request, `degraded` was let through without the store. */
export type Decision = 'admitted' | 'rejected' | 'locally-rejected' | 'degraded' | 'unavailable';

/** Who is told of every decision. It is called in the midst of an acquire, so it must be quick and must not throw. */
export interface DecisionObserver {
  /** A reading of a clock that only goes forward, in milliseconds. */
  nowMs(): number;
  /** `tookMs` is from the call until the decision; the wait for a turn comes after that. */
  decided(request: Request, decision: Decision, tookMs: number): void;
}

/** The place from which decisions can be watched. While nobody does, an acquire pays one comparison for it. */
export class Observation {
  #observer: DecisionObserver | undefined;

  get isWatched(): boolean {
    return this.#observer !== undefined;
  }

  /** Tells an observer of all acquires that begin from now on, until what comes back is called. There is one at a time. */
  watch(observer: DecisionObserver): () => void {
    this.#observer = observer;
    return () => {
      if (this.#observer === observer) this.#observer = undefined;
    };
  }

  /** When an acquire began; undefined if nobody wants to know. */
  begin(): number | undefined {
    return this.#observer?.nowMs();
  }

  /** What became of an acquire that began at `startedMs`. */
  end(request: Request, decision: Decision, startedMs: number | undefined): void {
    if (startedMs === undefined || this.#observer === undefined) return;
    this.#observer.decided(request, decision, this.#observer.nowMs() - startedMs);
  }
}
