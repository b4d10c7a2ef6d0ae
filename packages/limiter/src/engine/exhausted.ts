import type { LimitStatus } from '@millrace/core';
import { ownView } from './held-ahead.js';
import { isExhausted, type Knowing } from './item-proof.js';
import type { Level } from './level.js';
import { longestMs } from './longest.js';
import { statusOfDebit } from './shard-level.js';
import type { Shards } from './shards.js';
import type { TakeParts } from './take.js';

/**
 * How the limits stand, if what this process has seen last proves that the request cannot be admitted now: then nobody
 * has to be asked. Time alone makes tokens, and how many it made is known. Undefined where there is no such proof.
 *
 * The first to come after the tokens are there again finds no proof, and asks; whoever comes with it goes along.
 */
export function provenStatuses(
  parts: TakeParts & { readonly shards: Shards },
  levels: readonly Level[],
): readonly LimitStatus[] | undefined {
  const { knowledge, clock, shards } = parts;
  const nowUs = clock.nowUs();
  let isProven = false;
  for (let index = 0; index < levels.length && !isProven; index += 1) {
    const level = levels[index] as Level;
    isProven = level.mode === 'enforce' && isOut(parts, level, nowUs);
  }
  if (!isProven) return undefined;
  const places = levels.map((level) => shards.places(level));
  // Every level's standing belongs into a refusal. One that nobody here has seen has to be asked for it.
  if (places.some(({ levels: items }) => items.some(({ bucket }) => knowledge.seen(bucket) === undefined))) return undefined;
  return places.flatMap(({ levels: items, needs }) => {
    const standings = items.map((item) => {
      const state = ownView(parts, item, knowledge.seen(item.bucket));
      return item.debits.map((debit) => statusOfDebit(item, debit, state, nowUs));
    });
    // Of several items the best one counts, or, of a request that needs them all, the worst.
    const sorted = standings.sort((a, b) => longestMs(a) - longestMs(b));
    return (needs === 'one' ? sorted[0] : sorted.at(-1)) ?? [];
  });
}

function isOut(parts: Knowing & { readonly shards: Shards }, level: Level, nowUs: number): boolean {
  const only = parts.shards.onlyPlace(level);
  if (only !== undefined) return isExhausted(parts, only, nowUs);
  const places = parts.shards.places(level);
  const isItemOut = (place: Level): boolean => isExhausted(parts, place, nowUs);
  return places.needs === 'one' ? places.levels.every(isItemOut) : places.levels.some(isItemOut);
}
