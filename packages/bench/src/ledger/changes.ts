import { FakeRuntime } from '@millrace/testing';
import type { Cell } from './cell.js';
import type { Shape } from './scenarios.js';

/** Tokens that were taken from a key's bucket; below 0, given back to it. */
export interface Change {
  readonly key: string;
  readonly atMs: number;
  readonly tokens: number;
}

/** One share of a bench: what both sides are to work off, in a namespace of its own. */
export interface Share {
  readonly namespaceId: string;
  readonly changes: readonly Change[];
}

const MOST_TOKENS = 5_000;
const GIVEN_BACK = 0.1;

/** The changes of a shape on a day, by chance from a seed, in the order of their time. */
export function changesOf({ changes, keys, spreadMs }: Shape, dayMs: number, seed: number): readonly Change[] {
  const { random } = new FakeRuntime({ seed });
  return Array.from({ length: changes }, (_, index) => {
    const amount = 1 + Math.floor(random() * MOST_TOKENS);
    // Of what nothing was taken from yet, nothing is given back.
    const isReturn = random() < GIVEN_BACK && index >= keys;
    return { key: `key-${index % keys}`, atMs: dayMs + Math.floor((index * spreadMs) / changes), tokens: isReturn ? -amount : amount };
  });
}

/** Shares to warm up with, whose runs are not measured, and those that are. */
export interface Shares {
  readonly warmup: readonly Share[];
  readonly measured: readonly Share[];
}

/** So many changes have the code compiled, as it is in a function that has run for a while, and all connections open. */
const WARMUP_CHANGES = 1_500;

/** The shares of a shape, each in a namespace of its own. */
export function sharesOf(shape: Shape, dayMs: number, repetitions: number): Shares {
  const shares = (name: string, count: number): readonly Share[] =>
    Array.from({ length: count }, (_, index) => ({ namespaceId: `${name}${index + 1}`, changes: changesOf(shape, dayMs, index + 1) }));
  return { warmup: shares('warmup', Math.ceil(WARMUP_CHANGES / shape.changes)), measured: shares('run', repetitions) };
}

/**
 * How many runs are measured in a round, of each side as many. What is soon done is a matter of chance, and done more often;
 * what takes minutes in sequence is done in the first round only.
 */
export function runsInRound({ changes }: Shape, { side, concurrency }: Pick<Cell, 'side' | 'concurrency'>, round: number): number {
  const isShort = changes <= 100;
  if (concurrency > 1) return isShort ? 3 : 1;
  return isShort || side === 'millrace' || round === 0 ? 1 : 0;
}
