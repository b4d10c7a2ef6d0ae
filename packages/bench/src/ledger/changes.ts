import { FakeRuntime } from '@millrace/testing';
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

/** So many changes open all connections and have the code compiled. */
const WARMUP_CHANGES = 500;
/** In sequence more would only be waited for. */
const WARMUP_IN_SEQUENCE = 24;

/** The shares of a shape, each in a namespace of its own. */
export function sharesOf(shape: Shape, concurrency: number, dayMs: number, repetitions: number): Shares {
  const small = { ...shape, changes: Math.min(shape.changes, WARMUP_IN_SEQUENCE) };
  const share = (of: Shape, name: string, seed: number): Share => ({ namespaceId: `${name}${seed}`, changes: changesOf(of, dayMs, seed) });
  const warmups = concurrency > 1 ? Math.ceil(WARMUP_CHANGES / shape.changes) : 1;
  return {
    warmup: Array.from({ length: warmups }, (_, index) => share(concurrency > 1 ? shape : small, 'warmup', index + 1)),
    measured: Array.from({ length: repetitions }, (_, index) => share(shape, 'run', index + 1)),
  };
}

/** How often a shape is measured: what is soon done is a matter of chance, and more often; in sequence once tells it all. */
export function repetitionsOf(shape: Shape, concurrency: number, repetitions: number): number {
  const isShort = shape.changes <= 100;
  if (concurrency === 1) return isShort ? repetitions : 1;
  return isShort ? 3 * repetitions : repetitions;
}
