import type { BucketRef, UsageSource, WireItem } from '@millrace/core';

/** One record of the table's stream. */
export interface StreamRecord {
  readonly eventId: string;
  /** When DynamoDB says that the write happened, in whole seconds; nothing else decides into which windows it falls. */
  readonly atMs: number;
  readonly oldImage?: WireItem;
  readonly newImage?: WireItem;
  /** True for what DynamoDB's own expiry has deleted. */
  readonly isExpiry: boolean;
}

/** From where to where a number went; it never goes down. */
export interface Span<N> {
  readonly from: N;
  readonly to: N;
}

/** What became of the two counters of one limit. */
export interface LimitStep {
  readonly used: Span<bigint>;
  readonly returned: Span<bigint>;
  /** True where `from` is where the counters began: nothing was before it, so there is nothing for it to join. */
  readonly isBirth: boolean;
}

/** What one write did to one item of a bucket, or several writes in a row. */
export interface BucketStep {
  readonly ref: BucketRef;
  /** `events` where it is the meter of usage events that was written, whose write number counts the events. @default 'buckets' */
  readonly source?: UsageSource;
  /** The era of the item after the write; 0 where no writer has said so. */
  readonly eraUs: number;
  readonly atMs: number;
  /** The write number before and after: one apart for one write. */
  readonly seq: Span<number>;
  /** The limits whose counters moved, or began. */
  readonly limits: ReadonlyMap<string, LimitStep>;
}
