import { type BucketState, type BucketWrite, type LimitState, type Move, rescaleMove, ttlSecFor } from '@millrace/core';
import type { Level } from './level.js';

/** How many writes more than any other a take may need that meets a change of a rate. */
export const SCALE_WRITES = 4;

/**
 * Brings a bucket into the scale of a level's limits before the level takes from it: after a change of a rate, once for
 * each busy bucket, by whoever comes first.
 *
 * Writers that still have the old rate may win against it, again and again. So where the first try is lost a fence comes
 * before the second: a write that only says which configuration the bucket has met, and which every older writer is
 * refused by. No other writer can hold it up.
 */
export class Rescaling {
  readonly #level: Level;
  #sent: 'rescale' | 'fence' | undefined;
  #tries = 0;
  #mustFence = false;

  constructor(level: Level) {
    this.#level = level;
  }

  /** The write that has to come before a take, from what is known of the bucket; undefined where a take may be tried. */
  prepare(seen: BucketState | undefined, nowUs: number): BucketWrite | undefined {
    this.#sent = undefined;
    const moves = rescaleMoves(this.#level, seen, nowUs);
    if (seen === undefined || moves.length === 0) return undefined;
    this.#sent = this.#mustFence ? 'fence' : 'rescale';

    const { ref, configVersion, debits } = this.#level;
    const timings = debits.map(({ timing }) => timing);
    const ttlSec = ttlSecFor(timings, rescaled(seen, moves), nowUs, ref);
    return { ref, nowUs, ttlSec, configVersion, moves: this.#mustFence ? [] : moves };
  }

  /** Notes how the write ended that was prepared last, if it was one of these. */
  note(kind: 'written' | 'refused'): void {
    if (this.#sent === 'rescale') this.#tries += 1;
    this.#mustFence = this.#sent === 'rescale' && this.#tries === 1 && kind === 'refused';
  }
}

/** True if a limit that the level takes from has to be brought into another scale first. */
export function needsRescale(level: Level, state: BucketState | undefined, nowUs: number): boolean {
  return rescaleMoves(level, state, nowUs).length > 0;
}

const NO_MOVES: readonly Move[] = [];

function rescaleMoves(level: Level, state: BucketState | undefined, nowUs: number): readonly Move[] {
  let moves: Move[] | undefined;
  for (let index = 0; index < level.debits.length; index += 1) {
    const { limit, timing } = level.debits[index] as Level['debits'][number];
    const move = rescaleMove(limit.name, state?.limits.get(limit.name), timing, nowUs);
    if (move !== undefined) {
      moves ??= [];
      moves.push(move);
    }
  }
  return moves ?? NO_MOVES;
}

/** What the moves make of a bucket. The life of its item depends on it: at a slower rate what is missing takes longer. */
function rescaled(state: BucketState, moves: readonly Move[]): BucketState {
  const limits = new Map<string, LimitState>(state.limits);
  for (const move of moves) {
    const held = limits.get(move.limit);
    if (move.form === 'rescale' && held !== undefined) limits.set(move.limit, { ...held, tatUs: move.toTatUs });
  }
  return { ...state, limits };
}
