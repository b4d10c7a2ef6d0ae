import type { BucketState, LimitStatus } from '@millrace/core';
import type { Level } from './level.js';
import type { Taken } from './take.js';

/** What was taken at a level: from one item of its bucket, or from all of them. */
export interface LevelTaken {
  readonly kind: 'taken';
  readonly level: Level;
  readonly shares: readonly Taken[];
  /** How long it is until the turn of all of it has come. */
  readonly waitUs: number;
}

/** How a level in shadow mode ended that would have refused: its tokens are counted as used, and its limits are not charged. */
export interface CountedResult {
  readonly kind: 'counted';
  readonly level: Level;
  readonly state: BucketState;
  readonly nowUs: number;
  /** How the limits stood that would have refused. */
  readonly violations: readonly LimitStatus[];
}
