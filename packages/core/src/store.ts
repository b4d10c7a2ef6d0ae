import type { BucketRef, BucketState, BucketWrite, WriteOutcome } from './bucket.js';
import type { ConfigEntry, ConfigRef } from './config.js';

/**
 * Where buckets live. Each method is one atomic step; none of them decides anything. A refused condition is an answer;
 * whatever else goes wrong is a {@link StoreFailure}.
 */
export interface BucketStore {
  write(write: BucketWrite): Promise<WriteOutcome>;
  /** The state as of the last write that was answered before the call. */
  read(ref: BucketRef): Promise<BucketState | undefined>;
}

/** Where the configuration is read from. It is written by administration, which is no part of the engine. */
export interface ConfigStore {
  /**
   * Reads items in one request, in the order that they were asked for. `fresh` asks for the state as of the last
   * answered write; otherwise an older one may come back.
   */
  readConfig(namespaceId: string, refs: readonly ConfigRef[], consistency: 'fresh' | 'eventual'): Promise<readonly ConfigEntry[]>;
}

/** Why a store gave no answer. */
export type FailureReason =
  | 'throttled'
  /** Throttled because of this one key: its partition carries no more. */
  | 'hot-key'
  | 'timeout'
  | 'network'
  | 'server'
  | 'table-missing'
  | 'table-unusable'
  | 'access-denied'
  | 'credentials'
  | 'refused';

/** The store gave no answer. The engine turns it into an error of Millrace; only adapters and the engine meet it. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  readonly reason: FailureReason;
  /** `no`: the request certainly changed nothing, so it may be sent again. `unknown`: it may have; only one with a name goes again. */
  readonly applied: 'no' | 'unknown';
  /** The table that was asked; undefined where it was not the table that gave no answer. */
  readonly table: string | undefined;

  constructor(
    reason: FailureReason,
    applied: 'no' | 'unknown',
    message: string,
    options?: { readonly cause?: unknown; readonly table?: string },
  ) {
    super(message, options);
    this.reason = reason;
    this.applied = applied;
    this.table = options?.table;
  }
}
