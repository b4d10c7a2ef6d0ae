import { Tally } from '../distributed/tally.js';
import type { Figures } from '../plan/figures.js';
import type { Live } from '../plan/live.js';
import { ERRORS_RATE, REFUSED_RATE, SERIES, type SeriesName, TOKEN_KINDS, type TokenKind, tokenCounter } from '../plan/series.js';
import type { Amounts } from '../plan/session.js';

/**
 * What a Node service answered, counted there. Where load is made by somebody else's machines, nobody else can: their figures
 * come to a page of theirs, and the table is to be held against a count to the token.
 */
export class GatewayMeter {
  readonly #tally = new Tally();
  #acquires = 0;
  #refused = 0;
  #calls = 0;
  #failed = 0;

  constructor() {
    for (const name of SERIES) this.#tally.announce({ name, type: 'trend' });
    for (const name of [ERRORS_RATE, REFUSED_RATE]) this.#tally.announce({ name, type: 'rate' });
  }

  /** A call that was answered. */
  answered(series: SeriesName, tookMs: number): void {
    this.#tally.fold({ name: series, value: tookMs });
    this.#outcome(false);
  }

  /** A call that was not. */
  failed(tookMs: number): void {
    this.#tally.fold({ name: 'error', value: tookMs });
    this.#outcome(true);
  }

  verdict(isRefused: boolean): void {
    this.#acquires += 1;
    if (isRefused) this.#refused += 1;
    this.#tally.fold({ name: REFUSED_RATE, value: isRefused ? 1 : 0 });
  }

  tokens(kind: TokenKind, amounts: Amounts): void {
    for (const [limit, tokens] of Object.entries(amounts)) {
      // The names of all limits are not known here, so each is made room for when it is first seen.
      for (const each of TOKEN_KINDS) this.#tally.announce({ name: tokenCounter(each, limit), type: 'counter' });
      this.#tally.fold({ name: tokenCounter(kind, limit), value: tokens });
    }
  }

  figures(durationMs: number): Figures {
    return this.#tally.figures(durationMs);
  }

  live(): Live {
    return { turns: this.#acquires, refused: this.#refused / Math.max(1, this.#acquires), errors: this.#failed / Math.max(1, this.#calls) };
  }

  #outcome(isFailure: boolean): void {
    this.#calls += 1;
    if (isFailure) this.#failed += 1;
    this.#tally.fold({ name: ERRORS_RATE, value: isFailure ? 1 : 0 });
  }
}
