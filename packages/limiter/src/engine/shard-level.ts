import { type BucketState, bucketName, debitUs, type Layout, type LimitStatus, shardCount, shardTiming, statusOf } from '@millrace/core';
import type { Debit, Level } from './level.js';

/** A level on one of the items of its bucket, where a token takes as many times longer as there are items. */
export function onShard(level: Level, shard: number, layout: Layout): Level {
  const count = shardCount(layout);
  if (count === 1) return layout === level.layout ? level : { ...level, layout };
  const debits = level.debits.map((debit): Debit => {
    const timing = shardTiming(debit.timing, count);
    return { ...debit, timing, chargeUs: debitUs(timing, debit.tokens) };
  });
  return { ...placed(level, shard), layout, debits };
}

/**
 * A level on all items of its bucket, for a request that is larger than the share of one: each item is charged as much
 * time as one item of an undivided bucket would be, which is the same part of its share on each. The tokens only tell the
 * ledger how many there were, so that they are dealt out.
 */
export function onAllShards(level: Level, layout: Layout): readonly Level[] {
  const count = shardCount(layout);
  return Array.from({ length: count }, (_, shard) => {
    const debits = level.debits.map((debit): Debit => {
      const tokens = Math.floor(debit.tokens / count) + (shard < debit.tokens % count ? 1 : 0);
      return { ...debit, timing: shardTiming(debit.timing, count), tokens, requested: debit.tokens };
    });
    return { ...placed(level, shard), layout, debits };
  });
}

/** Whether a request fits the share of one item: what is larger needs all of them. */
export function fitsOneShard({ debits }: Pick<Level, 'debits'>, layout: Layout): boolean {
  const count = shardCount(layout);
  return debits.every(({ timing, tokens }) => {
    const own = shardTiming(timing, count);
    return debitUs(own, tokens) <= own.busyToleranceUs;
  });
}

function placed(level: Level, shard: number): Level {
  if (shard === 0) return level;
  return { ...level, ref: { ...level.ref, shard }, bucket: shardName(level, shard) };
}

/** How a debit's limit stands, by the item that it is taken from. */
export function statusOfDebit(level: Level, debit: Debit, state: BucketState | undefined, nowUs: number): LimitStatus {
  const { limit, tokens, requested, timing, chargeUs } = debit;
  if (requested === undefined) return statusOf(level, limit, tokens, state, nowUs, timing, chargeUs);
  // Charged to all items: in tokens of the whole request each of them takes as long as on one item alone.
  const whole = { ...timing, periodUs: timing.periodUs / shardCount(level.layout), capacity: limit.capacity };
  return statusOf(level, limit, requested, state, nowUs, whole, chargeUs);
}

/** Names an item of a level's bucket. */
export function shardName(level: Level, shard: number): string {
  return shard === 0 ? level.bucket : bucketName({ ...level.ref, shard });
}
