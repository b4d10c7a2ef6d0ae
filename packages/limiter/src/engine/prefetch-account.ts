import type { BucketState, Limit } from '@millrace/core';
import { Demand } from './demand.js';
import type { Level } from './level.js';
import { Stock } from './stock.js';

/** A write on its way that takes a chunk. */
export class Filling {
  readonly ended: Promise<void>;
  readonly #unpromised: Map<string, number>;

  /** `expected` is what there will be of each limit when it has ended. */
  constructor(expected: ReadonlyMap<string, number>, ended: Promise<void>) {
    this.ended = ended;
    this.#unpromised = new Map(expected);
  }

  /** Promises a caller its tokens out of what is on its way, if so many are; a refusal of the write breaks the promise. */
  promise(debits: Level['debits']): boolean {
    if (debits.some(({ limit, tokens }) => (this.#unpromised.get(limit.name) ?? 0) < tokens)) return false;
    for (const { limit, tokens } of debits) this.#unpromised.set(limit.name, (this.#unpromised.get(limit.name) ?? 0) - tokens);
    return true;
  }
}

/** What is known, and held, of one item of a bucket that is taken ahead from. */
export class PrefetchAccount {
  readonly stock = new Stock();
  level: Level;
  demand: Demand;
  /** False from a rejection on until there is plenty again. */
  isOn = true;
  /** What callers of this moment ask of the table, while a chunk is about to be asked for behind them. */
  gathering: Map<string, number> | undefined;
  filling: Filling | undefined;
  /** The state that the last chunk's write has left. */
  state: BucketState | undefined;
  readonly #memoryMs: number;

  constructor(level: Level, memoryMs: number) {
    this.level = level;
    this.#memoryMs = memoryMs;
    this.demand = new Demand(memoryMs);
  }

  /** Whether a request knows the same limits as what is held. They are compared by what they say: each reading makes them anew. */
  isFor({ layout, configVersion, limits }: Level): boolean {
    const own = this.level;
    if (layout !== own.layout || configVersion !== own.configVersion || limits.length !== own.limits.length) return false;
    return limits.every((limit, index) => isSame(limit, own.limits[index]));
  }

  /** From now on it is for other limits. What was asked of the old ones says nothing of them. */
  adopt(level: Level): void {
    this.level = { ...level, waitUs: 0 };
    this.demand = new Demand(this.#memoryMs);
  }
}

function isSame(limit: Limit, other: Limit | undefined): boolean {
  if (limit === other) return true;
  const { name, refill, periodMs, capacity, reserve } = limit;
  return (
    name === other?.name &&
    refill === other.refill &&
    periodMs === other.periodMs &&
    capacity === other.capacity &&
    reserve === other.reserve
  );
}
