import type { BucketState, BucketWrite } from '@millrace/core';
import type { Amounts } from '@millrace/limiter/engine';

/** A write that reached the store, in the order in which the store did it. */
export interface Executed {
  readonly atUs: number;
  readonly client: number;
  readonly write: BucketWrite;
  readonly before: BucketState | undefined;
  readonly after: BucketState | undefined;
  readonly applied: boolean;
  /** The process that sent it has got this answer. */
  heard: boolean;
}

/** How an acquire ended: `pending` where its process died first, `failed` where the store gave no answer. */
export type Ending = 'pending' | 'admitted' | 'rejected' | 'failed';

/**
 * What a caller knows of one acquire and its lease. What it holds for certain is `consumed`; what may or may not have
 * happened beside that (a reply was lost, the process died) lies between `unsureLow` and `unsureHigh`.
 */
export interface Claim {
  readonly client: number;
  readonly entity: string;
  readonly amounts: Amounts;
  readonly waitMs: number;
  readonly atUs: number;
  readonly consumed: Map<string, number>;
  readonly unsureLow: Map<string, number>;
  readonly unsureHigh: Map<string, number>;
  /** Tokens that the caller, or the engine for it, has had reason to give back at each level. */
  readonly returned: Map<string, number>;
  ending: Ending;
  /** When its caller was told, and as which of all that were told. */
  toldUs: number;
  toldAs: number;
}

/** The items of an entity's bucket; most have one. */
interface LevelItems {
  readonly entity: string;
  readonly items: readonly (BucketState | undefined)[];
}

/** A rejection for which no request was sent, and what the table held at that very moment. */
export interface LocalRejection {
  readonly claim: Claim;
  readonly atUs: number;
  /** The time by the clock of the process. */
  readonly nowUs: number;
  /** How many writes the store had done. */
  readonly executed: number;
  readonly levels: readonly LevelItems[];
}

/** From when on a process goes by a generation: a stored one is there for all at once, though they read it later. */
interface Switch {
  readonly atUs: number;
  readonly generation: number;
  /** Undefined of a stored one. */
  readonly client: number | undefined;
}

/** All that a run leaves behind to be judged. */
export interface History {
  readonly executed: Executed[];
  /** In the order in which they came. */
  readonly claims: Claim[];
  readonly localRejections: LocalRejection[];
  /** By bucket and limit: tokens of credits that were sent and may have been applied; see {@link creditKey}. */
  readonly creditsSent: Map<string, number>;
  /** Changes of limits as they happened. */
  readonly switches: Switch[];
  /** Errors that this world does not explain. */
  readonly surprises: string[];
  operations: number;
  acquires: number;
  admitted: number;
  rejected: number;
  failed: number;
  writes: number;
  /** Decisions that were carried out at the first item of a bucket. */
  splits: number;
  merges: number;
  told: number;
}

export function newHistory(): History {
  return {
    executed: [],
    claims: [],
    localRejections: [],
    creditsSent: new Map(),
    switches: [],
    surprises: [],
    operations: 0,
    acquires: 0,
    admitted: 0,
    rejected: 0,
    failed: 0,
    writes: 0,
    splits: 0,
    merges: 0,
    told: 0,
  };
}

export function creditKey(entity: string, limit: string): string {
  return `${entity}\n${limit}`;
}

/** Adds tokens to a sum by limit. */
export function add(sums: Map<string, number>, key: string, tokens: number): void {
  sums.set(key, (sums.get(key) ?? 0) + tokens);
}

export function addAll(sums: Map<string, number>, amounts: Amounts, sign: 1 | -1 = 1): void {
  for (const [limit, tokens] of Object.entries(amounts)) add(sums, limit, sign * tokens);
}
