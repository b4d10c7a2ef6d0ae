import { type BucketState, type Layout, type LimitStatus, layoutOf, shardCount } from '@millrace/core';
import { ownView } from './held-ahead.js';
import type { Level } from './level.js';
import { longestMs } from './longest.js';
import { asLimits } from './reshaper.js';
import { sendRead } from './send.js';
import { fitsOneShard, onAllShards, onShard, statusOfDebit } from './shard-level.js';
import type { Shards } from './shards.js';
import type { TakeParts } from './take.js';

/** How a level's limits stand towards a request, on all items of its bucket. Takes nothing; one read for each item. */
export async function standingOf(
  parts: TakeParts & { readonly shards: Shards },
  level: Level,
  deadlineMs: number,
): Promise<readonly LimitStatus[]> {
  const first = await sendRead(parts, level.ref, deadlineMs);
  const layout = layoutOf(first);
  parts.shards.noteLayout(level, layout);
  const count = shardCount(layout);
  const others = Array.from({ length: count - 1 }, (_, index) => ({ ...level.ref, shard: index + 1 }));
  const items = [first, ...(await Promise.all(others.map((ref) => sendRead(parts, ref, deadlineMs))))];
  const states = items.map((_, shard) => itemOf(items, shard, layout));
  const nowUs = parts.clock.nowUs();
  const standing = (places: readonly Level[]): readonly (readonly LimitStatus[])[] =>
    places.map((place, shard) => {
      const state = ownView(parts, place, states[shard]);
      return place.debits.map((debit) => statusOfDebit(place, debit, state, nowUs));
    });
  const ones = standing(states.map((_, shard) => onShard(level, shard, layout)));
  if (count === 1) return ones.flat();

  const alls = standing(onAllShards(level, layout));
  // As an acquire does: a request goes to the best item, or, if it is larger than an item's share, to all, and the worst decides.
  const best = [...ones].sort((a, b) => longestMs(a) - longestMs(b))[0] ?? [];
  const worst = [...alls].sort((a, b) => longestMs(b) - longestMs(a))[0] ?? [];
  return (fitsOneShard(level, layout) ? best : worst).map((status, index) => {
    const one = Math.max(...ones.map((statuses) => statuses[index]?.available ?? 0));
    const all = Math.min(...alls.map((statuses) => statuses[index]?.available ?? 0));
    const debit = level.debits[index];
    // Only what is too large for one item is taken from all of them.
    const isTaken = debit !== undefined && !fitsOneShard({ debits: [{ ...debit, tokens: all }] }, layout);
    return { ...status, available: isTaken ? all : one };
  });
}

/** An item as callers will find it: one that is still to split off begins with what the one beside it lacked. */
function itemOf(items: readonly (BucketState | undefined)[], shard: number, layout: Layout): BucketState | undefined {
  const state = items[shard];
  if (state !== undefined && (shard < shardCount(layoutOf(state)) || layoutOf(state) >= layout)) return state;
  const source = items[shard - shardCount(layout) / 2];
  if (source === undefined || layoutOf(source) !== layout) return source;
  return source.seeds === undefined ? undefined : { ...source, limits: asLimits(source.seeds) };
}
