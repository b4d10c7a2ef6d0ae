import type { ClockEstimate } from './clock-offset.js';
import { Observation } from './observation.js';
import type { RecordingStats } from './recording.js';

/** Counters since the limiter was opened. */
export interface LimiterStats {
  readonly acquires: number;
  readonly admitted: number;
  readonly rejected: number;
  /** Acquires whose turn had not come when they were admitted, so that they waited for it. */
  readonly waits: number;
  /** Of those, how many needed no request: what was seen last proved them. */
  readonly localRejections: number;
  /** Seconds in which a bucket was asked for more than a thousand times without a request: its callers do not wait for `retryAfterMs`. */
  readonly spins: number;
  /** What levels in shadow mode would have refused. */
  readonly shadowRejections: number;
  /** Takes at one level that were served from memory, without a request: see the option `prefetch`. A cascade takes at each of its levels. */
  readonly prefetched: number;
  /** Tokens that were taken ahead and given back unspent. */
  readonly returned: number;
  /** Leases given without the store, because `onUnavailable` was `allow`. */
  readonly degraded: number;
  /** Requests sent, by DynamoDB's name of the operation; a retried one counts each time. */
  readonly requests: Readonly<Record<string, number>>;
  /** Capacity as DynamoDB reported it. It reports none for a refused condition, which AWS bills: see `refusedWrites`. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Writes whose condition was refused; AWS bills at least one unit for each. */
  readonly refusedWrites: number;
  /** Writes that guessed the wrong form and had to be sent again. */
  readonly branchMisses: number;
  /** Times that a bucket was spread over other items than this process believed. */
  readonly layoutMisses: number;
  /** Times that this process has spread a bucket over twice as many items, or half as many, alone or together with others. */
  readonly splits: number;
  readonly merges: number;
  /** Requests sent again: they had certainly changed nothing, or count once however often they arrive. */
  readonly retries: number;
  /** Debits and credits that nothing was heard of to the end. They may have leaked tokens, and have minted none. */
  readonly lostReplies: number;
  /** Debits whose reply was lost, and that the bucket turned out to have done when they were sent again. */
  readonly recoveredReplies: number;
  /** Slow debits that were sent a second time, because `hedging` was wanted. */
  readonly hedges: number;
  /** Of those, how many the second copy brought the answer to. */
  readonly hedgesWon: number;
  /** Times that a bucket had met a newer configuration than the writer knew. */
  readonly staleConfigurations: number;
  /** How the clock compares with DynamoDB's; left out if it is not watched, or nothing was answered yet. */
  readonly clock?: ClockEstimate;
  /** What was recorded of committed leases; left out where none are: see the option `billing`. */
  readonly events?: RecordingStats;
}

type Counter = Exclude<keyof LimiterStats, 'requests' | 'clock' | 'events'>;

/** Counts what a limiter does. */
export class Stats {
  /** From where decisions can be watched one by one, as counters forget which resource they were about. */
  readonly observation = new Observation();
  readonly #counts = new Map<Counter, number>();
  readonly #requests = new Map<string, number>();

  add(counter: Counter, amount = 1): void {
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + amount);
  }

  /** Counts one request of an adapter, and the units that the store said it cost. */
  request(operation: string, readUnits: number, writeUnits: number): void {
    this.#requests.set(operation, (this.#requests.get(operation) ?? 0) + 1);
    this.add('readUnits', readUnits);
    this.add('writeUnits', writeUnits);
  }

  snapshot(): LimiterStats {
    const count = (counter: Counter): number => this.#counts.get(counter) ?? 0;
    return {
      acquires: count('acquires'),
      admitted: count('admitted'),
      rejected: count('rejected'),
      waits: count('waits'),
      localRejections: count('localRejections'),
      spins: count('spins'),
      shadowRejections: count('shadowRejections'),
      prefetched: count('prefetched'),
      returned: count('returned'),
      degraded: count('degraded'),
      requests: Object.fromEntries(this.#requests),
      readUnits: count('readUnits'),
      writeUnits: count('writeUnits'),
      refusedWrites: count('refusedWrites'),
      branchMisses: count('branchMisses'),
      layoutMisses: count('layoutMisses'),
      splits: count('splits'),
      merges: count('merges'),
      retries: count('retries'),
      lostReplies: count('lostReplies'),
      recoveredReplies: count('recoveredReplies'),
      hedges: count('hedges'),
      hedgesWon: count('hedgesWon'),
      staleConfigurations: count('staleConfigurations'),
    };
  }
}
