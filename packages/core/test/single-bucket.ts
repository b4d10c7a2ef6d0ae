import { insistMove, type TakeMove, takeMove } from '../src/bucket.js';
import { debitUs, type Form, formFor, type Limit, timingOf } from '../src/index.js';
import { exactBucket } from './exact-bucket.js';

/** One limit of one bucket, moved by hand as DynamoDB moves it: the condition of a form, then its assignment. */
export class SingleBucket {
  readonly limit: Limit;
  tatUs: number | undefined;

  constructor(limit: Limit, tatUs?: number) {
    this.limit = limit;
    this.tatUs = tatUs;
  }

  /** Makes a move, if its condition holds. */
  apply(move: TakeMove, nowUs: number): boolean {
    if (move.form === 'idle') {
      if (this.tatUs !== undefined && this.tatUs > move.toUs) return false;
      this.tatUs = nowUs + move.chargeUs;
      return true;
    }
    if (this.tatUs === undefined || this.tatUs < move.fromUs || this.tatUs > (move.toUs ?? Number.POSITIVE_INFINITY)) return false;
    this.tatUs += move.chargeUs;
    return true;
  }

  /** Takes by one form. */
  takeBy(form: Form, tokens: number, nowUs: number): boolean {
    const timing = timingOf(this.limit);
    return this.apply(takeMove(this.limit.name, timing, form, tokens, debitUs(timing, tokens), nowUs), nowUs);
  }

  /** Takes from as far behind as `fromUs`, and pays for what that is beyond the dead-band. */
  insist(tokens: number, fromUs: number, nowUs: number): boolean {
    const timing = timingOf(this.limit);
    return this.apply(insistMove(this.limit.name, timing, tokens, debitUs(timing, tokens), fromUs, nowUs), nowUs);
  }

  /** Takes by the form that exact knowledge says, if there is one. */
  take(tokens: number, nowUs: number): boolean {
    const timing = timingOf(this.limit);
    const form = formFor(timing, this.tatUs, nowUs, debitUs(timing, tokens));
    return form !== undefined && this.takeBy(form, tokens, nowUs);
  }

  /** Takes single tokens until it refuses one, and says how many it gave. */
  drain(nowUs: number): number {
    let tokens = 0;
    while (this.take(1, nowUs)) tokens += 1;
    return tokens;
  }
}

/**
 * Watches what is admitted, exactly: in no interval, however long or short, may there be as much as C + r·w + 1 tokens.
 *
 * Lindley's recursion looks at all intervals at once: `excess = max(0, excess − r·gap) + tokens` is the most that any
 * interval ending now has had above r·w. It is kept as tokens × period, which needs no fraction.
 */
export class IntervalGauge {
  readonly #periodUs: bigint;
  readonly #refill: bigint;
  readonly #bound: bigint;
  #excess = 0n;
  #latestUs: number | undefined;

  constructor(limit: Limit) {
    const { periodUs, refill, capacity } = exactBucket(limit);
    this.#periodUs = periodUs;
    this.#refill = refill;
    this.#bound = (capacity + 1n) * periodUs;
  }

  admit(tokens: number, nowUs: number): void {
    const gapUs = Math.max(0, nowUs - (this.#latestUs ?? nowUs));
    this.#latestUs = Math.max(nowUs, this.#latestUs ?? nowUs);
    const left = this.#excess - BigInt(gapUs) * this.#refill;
    this.#excess = (left > 0n ? left : 0n) + BigInt(tokens) * this.#periodUs;
  }

  get isWithinBound(): boolean {
    return this.#excess < this.#bound;
  }
}
