import { isForeign, type LimitStatus, statusOf } from '@millrace/core';
import type { Level } from './level.js';
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
export function provenStatuses({ knowledge, clock }: TakeParts, levels: readonly Level[]): readonly LimitStatus[] | undefined {
  const nowUs = clock.nowUs();
  const isProven = levels.some((level) => level.mode === 'enforce' && isExhausted(knowledge, level, nowUs));
  if (!isProven) return undefined;
  const states = levels.map((level) => knowledge.seen(level.bucket));
  // Every level's standing belongs into a refusal. One that nobody here has seen has to be asked for it.
  if (states.includes(undefined)) return undefined;
  return levels.flatMap((level, index) => level.debits.map((debit) => statusOf(level, debit.limit, debit.tokens, states[index], nowUs)));
}

function isExhausted(knowledge: TakeParts['knowledge'], level: Level, nowUs: number): boolean {
  const state = knowledge.proof(level.bucket, nowUs - PROOF_US);
  if (state === undefined) return false;
  // A newer configuration has to be read first, and a bucket of another rate to be brought into this one.
  if (state.configVersion !== undefined && state.configVersion > level.configVersion) return false;
  const isOfAnotherRate = level.debits.some(({ limit, timing }) => {
    const held = state.limits.get(limit.name);
    return held !== undefined && isForeign(held, timing);
  });
  return !isOfAnotherRate && admittedInTurn([level], state, nowUs)[0] === false;
}
