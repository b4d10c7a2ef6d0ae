import type { BucketState, BucketWrite } from '@millrace/core';

/** A write that reached the store, in the order in which the store did it. */
export interface Executed {
  readonly atUs: number;
  readonly write: BucketWrite;
  readonly before: BucketState | undefined;
  readonly after: BucketState | undefined;
  readonly applied: boolean;
}

/**
 * What a caller knows of one acquire and its lease. What it holds for certain is `consumed`; what may or may not have
 * happened beside that (a reply was lost, the process died) lies between `unsureLow` and `unsureHigh`.
 */
export interface Claim {
  readonly entity: string;
  readonly atUs: number;
  readonly consumed: Map<string, number>;
  readonly unsureLow: Map<string, number>;
  readonly unsureHigh: Map<string, number>;
}

/** All that a run leaves behind to be judged. */
export interface History {
  readonly executed: Executed[];
  readonly claims: Claim[];
  /** Errors that this world does not explain. */
  readonly surprises: string[];
  operations: number;
  acquires: number;
  admitted: number;
  rejected: number;
  writes: number;
}

export function newHistory(): History {
  return { executed: [], claims: [], surprises: [], operations: 0, acquires: 0, admitted: 0, rejected: 0, writes: 0 };
}
