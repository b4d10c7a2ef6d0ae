import { FIRST_LAYOUT, type LimitStatus, shardCount } from '@millrace/core';
import { ownView } from './held-ahead.js';
import type { Debit, Level } from './level.js';
import { longestMs } from './longest.js';
import { sendRead } from './send.js';
import { onAllShards, onShard, statusOfDebit } from './shard-level.js';
import type { Shards } from './shards.js';
import type { TakeParts } from './take.js';

/** How a level's limits stand towards a request, on all items of its bucket. Takes nothing; one read for each item. */
export async function standingOf(
  parts: TakeParts & { readonly shards: Shards },
  level: Level,
  deadlineMs: number,
): Promise<readonly LimitStatus[]> {
  const first = await sendRead(parts, level.ref, deadlineMs);
  const layout = first?.layout ?? FIRST_LAYOUT;
  parts.shards.noteLayout(level, layout);
  const count = shardCount(layout);
  const others = Array.from({ length: count - 1 }, (_, index) => ({ ...level.ref, shard: index + 1 }));
  const states = [first, ...(await Promise.all(others.map((ref) => sendRead(parts, ref, deadlineMs))))];
  const nowUs = parts.clock.nowUs();
  const standing = (places: readonly Level[]): readonly (readonly LimitStatus[])[] =>
    places.map((place, shard) => {
      const state = ownView(parts, place, states[shard]);
      return place.debits.map((debit) => statusOfDebit(place, debit, state, nowUs));
    });
  const ones = standing(states.map((_, shard) => onShard(level, shard, layout)));
  if (count === 1) return ones.flat();

  const alls = standing(
    onAllShards(level, layout).map((place) => ({ ...place, debits: place.debits.map((debit) => whole(debit, count)) })),
  );
  // A request goes to the best item, or, if it is larger than an item's share, to all, and then the worst one decides.
  const best = [...ones].sort((a, b) => longestMs(a) - longestMs(b))[0] ?? [];
  const worst = [...alls].sort((a, b) => longestMs(b) - longestMs(a))[0] ?? [];
  const chosen = longestMs(best) <= longestMs(worst) ? best : worst;
  return chosen.map((status, index) => {
    const one = Math.max(...ones.map((statuses) => statuses[index]?.available ?? 0));
    const all = Math.min(...alls.map((statuses) => statuses[index]?.available ?? 0));
    return { ...status, available: Math.max(one, all) };
  });
}

/** A debit that is charged to all items, in tokens of the whole request: each of them takes as long as on one item alone. */
function whole(debit: Debit, count: number): Debit {
  const timing = { ...debit.timing, periodUs: debit.timing.periodUs / count, capacity: debit.limit.capacity };
  return { ...debit, timing, tokens: debit.requested ?? debit.tokens };
}
