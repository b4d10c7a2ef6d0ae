import { Counter, Rate, Trend } from 'k6/metrics';
import {
  ADMITTED_COUNTER,
  COST_COUNTERS,
  type CostCounter,
  ERRORS_RATE,
  REFUSED_RATE,
  REJECTED_COUNTER,
  SERIES,
  type SeriesName,
  TOKEN_KINDS,
  type TokenKind,
  TURNS_BEGUN,
  TURNS_ENDED,
  tokenCounter,
  UNITS_TREND,
} from '../plan/series.js';
import type { Amounts } from '../plan/session.js';

/**
 * All that a run measures, made where k6 allows it: while the script is loaded. A rejection is timed as such and is no
 * failure; what fails is timed as an error, and is what the rate of errors counts.
 */
export class Meter {
  readonly #trends: ReadonlyMap<string, Trend>;
  readonly #costs: ReadonlyMap<string, Counter>;
  readonly #tokens: TokenCounters;
  readonly #errors = new Rate(ERRORS_RATE);
  readonly #refused = new Rate(REFUSED_RATE);
  readonly #begun = new Counter(TURNS_BEGUN);
  readonly #ended = new Counter(TURNS_ENDED);
  readonly #charts: Charts | undefined;

  /** @param hasCharts Whether what only charts show is noted, too */
  constructor(limitNames: readonly string[], hasCharts = false) {
    this.#trends = new Map(SERIES.map((name) => [name, new Trend(name, true)]));
    this.#costs = new Map(COST_COUNTERS.map((name) => [name, new Counter(name)]));
    this.#tokens = countersOf(limitNames);
    this.#charts = hasCharts ? new Charts() : undefined;
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
    this.#charts?.verdict(isRefused);
  }

  tokens(kind: TokenKind, amounts: Amounts): void {
    const counters = this.#tokens.get(kind);
    // Each acquire comes here, and k6 pays twenty calls for an iterator.
    for (const limit in amounts) {
      const tokens = amounts[limit] ?? 0;
      if (tokens !== 0) counters?.get(limit)?.add(tokens);
    }
  }

  cost(counter: CostCounter, amount: number): void {
    if (amount > 0) this.#costs.get(counter)?.add(amount);
    if (counter === 'write_units') this.#charts?.wrote(amount);
  }

  turnBegan(): void {
    this.#begun.add(1);
  }

  turnEnded(): void {
    this.#ended.add(1);
  }
}

/** By kind, and then by limit. */
type TokenCounters = ReadonlyMap<TokenKind, ReadonlyMap<string, Counter>>;

/** Limits whose names differ in what k6 does not allow share a counter, which k6 has once. */
function countersOf(limitNames: readonly string[]): TokenCounters {
  const made = new Map<string, Counter>();
  const counterOf = (name: string): Counter => {
    const counter = made.get(name) ?? new Counter(name);
    made.set(name, counter);
    return counter;
  };
  return new Map(TOKEN_KINDS.map((kind) => [kind, new Map(limitNames.map((limit) => [limit, counterOf(tokenCounter(kind, limit))]))]));
}

/** What k6's dashboard cannot work out by itself: it draws series, and divides none by another. */
class Charts {
  readonly #admitted = new Counter(ADMITTED_COUNTER);
  readonly #rejected = new Counter(REJECTED_COUNTER);
  readonly #units = new Trend(UNITS_TREND);
  #unitsSince: number | undefined;

  wrote(units: number): void {
    this.#unitsSince = (this.#unitsSince ?? 0) + units;
  }

  /** Each acquire is told all that was written since the one before it, so that the mean is that of the run. */
  verdict(isRefused: boolean): void {
    (isRefused ? this.#rejected : this.#admitted).add(1);
    // Behind the Node service k6 hears of no units.
    if (this.#unitsSince === undefined) return;
    this.#units.add(this.#unitsSince);
    this.#unitsSince = 0;
  }
}
