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

/** In sequence so many changes are enough to warm up; more would only be waited for. */
const WARMUP_IN_SEQUENCE = 24;

/** A first share to warm up with, whole unless it goes in sequence, and then so many that are measured. */
export function sharesOf(shape: Shape, concurrency: number, dayMs: number, repetitions: number): readonly Share[] {
  const warmup = concurrency > 1 ? shape : { ...shape, changes: Math.min(shape.changes, WARMUP_IN_SEQUENCE) };
  const measured = Array.from({ length: repetitions }, (_, index) => ({
    namespaceId: `run${index + 1}`,
    changes: changesOf(shape, dayMs, index + 1),
  }));
  return [{ namespaceId: 'warmup', changes: changesOf(warmup, dayMs, 0) }, ...measured];
}
