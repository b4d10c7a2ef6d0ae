import { checkInteger, checkKeys, ValidationError } from '@millrace/core';

/** How the slowest debits are sent a second time. */
export interface HedgingOptions {
  /** The most second copies for each debit, from above 0 to 0.5: what they cost is at most this share more. @default 0.05 */
  readonly budget?: number;
  /** Nothing that takes less than so many milliseconds is slow. @default 5 */
  readonly floorMs?: number;
}

const MAX_BUDGET = 0.5;
const MAX_FLOOR_MS = 60_000;
/** So many second copies at once where none was needed for long. */
const MAX_SAVED = 10;
/** For so long there are none after the store has throttled a request: they would be more of what it has too much of. */
const THROTTLED_MS = 10_000;

/** Checks whether and how debits are hedged; undefined where they are not. */
export function checkHedging(value: unknown): Required<HedgingOptions> | undefined {
  if (value === undefined || value === false) return undefined;
  if (value !== true) checkKeys('option "hedging"', value, ['budget', 'floorMs'] satisfies (keyof HedgingOptions)[]);
  const { budget = 0.05, floorMs = 5 } = value === true ? {} : (value as HedgingOptions);
  if (typeof budget !== 'number' || !(budget > 0 && budget <= MAX_BUDGET)) {
    throw new ValidationError('option "hedging.budget"', `a number above 0 and at most ${MAX_BUDGET}`, budget);
  }
  return { budget, floorMs: checkInteger('option "hedging.floorMs"', floorMs, 0, MAX_FLOOR_MS) };
}

/** How many second copies may be sent: each debit earns a share of one, and a throttle stops them for a while. */
export class HedgeBudget {
  readonly #share: number;
  #saved = 0;
  #stoppedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(share: number) {
    this.#share = share;
  }

  earn(): void {
    this.#saved = Math.min(MAX_SAVED, this.#saved + this.#share);
  }

  /** Whether there is one left. */
  allows(nowMs: number): boolean {
    return this.#saved >= 1 && nowMs >= this.#stoppedUntilMs;
  }

  spend(): void {
    this.#saved -= 1;
  }

  stop(nowMs: number): void {
    this.#stoppedUntilMs = nowMs + THROTTLED_MS;
  }
}
