import type { Live } from '../plan/live.js';
import { ERRORS_RATE, REFUSED_RATE, TURNS_ENDED } from '../plan/series.js';
import type { Point } from './points.js';

/** Counts points for whoever watches a worker. */
export class LiveCount {
  #turns = 0;
  readonly #shares: Record<string, { trues: number; count: number }> = {
    [ERRORS_RATE]: { trues: 0, count: 0 },
    [REFUSED_RATE]: { trues: 0, count: 0 },
  };

  take({ name, value }: Point): void {
    if (name === TURNS_ENDED) this.#turns += value;
    const share = this.#shares[name];
    if (share === undefined) return;
    share.count++;
    if (value !== 0) share.trues++;
  }

  now(): Live {
    return { turns: this.#turns, refused: this.#shareOf(REFUSED_RATE), errors: this.#shareOf(ERRORS_RATE) };
  }

  #shareOf(name: string): number {
    const { trues, count } = this.#shares[name] ?? { trues: 0, count: 0 };
    return count === 0 ? 0 : trues / count;
  }
}
