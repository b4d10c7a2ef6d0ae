import { Counter, Rate, Trend } from 'k6/metrics';
import {
  COST_COUNTERS,
  type CostCounter,
  ERRORS_RATE,
  REFUSED_RATE,
  SERIES,
  type SeriesName,
  TOKEN_KINDS,
  type TokenKind,
  TURNS_BEGUN,
  TURNS_ENDED,
  tokenCounter,
} from '../plan/series.js';
import type { Amounts } from '../plan/session.js';

/**
 * All that a run measures, made where k6 allows it: while the script is loaded. A rejection is timed as such and is no
 * failure; what fails is timed as an error, and is what the rate of errors counts.
 */
export class Meter {
  readonly #trends: ReadonlyMap<string, Trend>;
  readonly #costs: ReadonlyMap<string, Counter>;
  readonly #tokens: ReadonlyMap<string, Counter>;
  readonly #errors = new Rate(ERRORS_RATE);
  readonly #refused = new Rate(REFUSED_RATE);
  readonly #begun = new Counter(TURNS_BEGUN);
  readonly #ended = new Counter(TURNS_ENDED);

  constructor(limitNames: readonly string[]) {
    this.#trends = new Map(SERIES.map((name) => [name, new Trend(name, true)]));
    this.#costs = new Map(COST_COUNTERS.map((name) => [name, new Counter(name)]));
    const names = new Set(limitNames.flatMap((limit) => TOKEN_KINDS.map((kind) => tokenCounter(kind, limit))));
    this.#tokens = new Map([...names].map((name) => [name, new Counter(name)]));
  }

  /** A call that was answered. */
  answered(series: SeriesName, tookMs: number): void {
    this.#trends.get(series)?.add(tookMs);
    this.#errors.add(false);
  }

  /** A call that was not. */
  failed(tookMs: number): void {
    this.#trends.get('error')?.add(tookMs);
    this.#errors.add(true);
  }

  verdict(isRefused: boolean): void {
    this.#refused.add(isRefused);
  }

  tokens(kind: TokenKind, amounts: Amounts): void {
    for (const limit of Object.keys(amounts)) {
      const tokens = amounts[limit] ?? 0;
      if (tokens !== 0) this.#tokens.get(tokenCounter(kind, limit))?.add(tokens);
    }
  }

  cost(counter: CostCounter, amount: number): void {
    if (amount > 0) this.#costs.get(counter)?.add(amount);
  }

  turnBegan(): void {
    this.#begun.add(1);
  }

  turnEnded(): void {
    this.#ended.add(1);
  }
}

/** What adjustments change, as two lists of amounts above zero. */
export function splitDeltas(deltas: Amounts): { readonly added: Amounts; readonly returned: Amounts } {
  const added: Record<string, number> = {};
  const returned: Record<string, number> = {};
  for (const [limit, tokens] of Object.entries(deltas)) {
    if (tokens > 0) added[limit] = tokens;
    if (tokens < 0) returned[limit] = -tokens;
  }
  return { added, returned };
}
