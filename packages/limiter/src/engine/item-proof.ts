import { isForeign, layoutOf } from '@millrace/core';
import { ownView } from './held-ahead.js';
import type { Level } from './level.js';
import type { TakeParts } from './take.js';
import { isAdmitted } from './turns.js';

/** What was seen proves nothing any more when it is older: others may have given back meanwhile. */
const PROOF_US = 1_000_000;

/** What a process knows of items, and holds of them. */
export type Knowing = Pick<TakeParts, 'knowledge' | 'ahead'>;

/** Whether what was seen of an item proves that a request cannot be admitted there now. */
export function isExhausted(parts: Knowing, level: Level, nowUs: number): boolean {
  const state = ownView(parts, level, parts.knowledge.proof(level.bucket, nowUs - PROOF_US));
  if (state === undefined) return false;
  // Seen before the bucket was spread otherwise: a merge evens out what its items lack.
  if (layoutOf(state) !== level.layout) return false;
  // A newer configuration has to be read first, and a bucket of another rate to be brought into this one.
  if (state.configVersion !== undefined && state.configVersion > level.configVersion) return false;
  for (let index = 0; index < level.debits.length; index += 1) {
    const { limit, timing } = level.debits[index] as Level['debits'][number];
    const held = state.limits.get(limit.name);
    if (held !== undefined && isForeign(held, timing)) return false;
  }
  return !isAdmitted(level, state, nowUs);
}
