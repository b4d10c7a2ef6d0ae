import { FIRST_LAYOUT, isForeign, type LimitStatus } from '@millrace/core';
import type { Level } from './level.js';
import { longestMs } from './longest.js';
import { statusOfDebit } from './shard-level.js';
import type { Shards } from './shards.js';
import type { TakeParts } from './take.js';
import { admittedInTurn } from './turns.js';

/** What was seen proves nothing any more when it is older: others may have given back meanwhile. */
const PROOF_US = 1_000_000;

/**
 * How the limits stand, if what this process has seen last proves that the request cannot be admitted now: then nobody
 * has to be asked. Time alone makes tokens, and how many it made is known. Undefined where there is no such proof.
 *
 * The first to come after the tokens are there again finds no proof, and asks; whoever comes with it goes along.
 */
export function provenStatuses(
  { knowledge, clock, shards }: TakeParts & { readonly shards: Shards },
  levels: readonly Level[],
): readonly LimitStatus[] | undefined {
  const nowUs = clock.nowUs();
  const places = levels.map((level) => shards.places(level));
  const isProven = levels.some((level, index) => level.mode === 'enforce' && isOut(knowledge, places[index], nowUs));
  if (!isProven) return undefined;
  // Every level's standing belongs into a refusal. One that nobody here has seen has to be asked for it.
  if (places.some(({ levels: items }) => items.some(({ bucket }) => knowledge.seen(bucket) === undefined))) return undefined;
  return places.flatMap(({ levels: items, needs }) => {
    const standings = items.map((item) => item.debits.map((debit) => statusOfDebit(item, debit, knowledge.seen(item.bucket), nowUs)));
    // Of several items the best one counts, or, of a request that needs them all, the worst.
    const sorted = standings.sort((a, b) => longestMs(a) - longestMs(b));
    return (needs === 'one' ? sorted[0] : sorted.at(-1)) ?? [];
  });
}

function isOut(knowledge: TakeParts['knowledge'], places: ReturnType<Shards['places']> | undefined, nowUs: number): boolean {
  if (places === undefined) return false;
  const isItemOut = (level: Level): boolean => isExhausted(knowledge, level, nowUs);
  return places.needs === 'one' ? places.levels.every(isItemOut) : places.levels.some(isItemOut);
}

/** Whether what was seen of an item proves that a request cannot be admitted there now. */
export function isExhausted(knowledge: TakeParts['knowledge'], level: Level, nowUs: number): boolean {
  const state = knowledge.proof(level.bucket, nowUs - PROOF_US);
  if (state === undefined) return false;
  // Seen before the bucket was spread otherwise: a merge evens out what its items lack.
  if ((state.layout ?? FIRST_LAYOUT) !== level.layout) return false;
  // A newer configuration has to be read first, and a bucket of another rate to be brought into this one.
  if (state.configVersion !== undefined && state.configVersion > level.configVersion) return false;
  const isOfAnotherRate = level.debits.some(({ limit, timing }) => {
    const held = state.limits.get(limit.name);
    return held !== undefined && isForeign(held, timing);
  });
  return !isOfAnotherRate && admittedInTurn([level], state, nowUs)[0] === false;
}
