import { type BucketStore, checkKeys, ValidationError } from '@millrace/core';

/** What the engine does to need less than one request for each acquire, or to live with one that is lost. */
export const TECHNIQUES = ['groupCommit', 'localRejections', 'requestIds'] as const;

export type Technique = (typeof TECHNIQUES)[number];

/**
 * Which of them an engine uses. For tests and comparisons only: with any of them off an engine is as exact as with all of
 * them on, and slower or dearer, so that no user is ever asked.
 */
export type Techniques = Readonly<Record<Technique, boolean>>;

/** All of them, less what is switched off. */
export function techniquesFrom(chosen: Partial<Techniques> = {}): Techniques {
  checkKeys('option "techniques"', chosen, TECHNIQUES);
  const switches = TECHNIQUES.map((technique) => {
    const value: unknown = chosen[technique] ?? true;
    if (typeof value !== 'boolean') throw new ValidationError(`technique "${technique}"`, 'true or false', value);
    return [technique, value];
  });
  return Object.fromEntries(switches) as Techniques;
}

/** A store that never hears what requests are called, so that it takes one that is sent again for another one. */
export function withoutNames(store: BucketStore): BucketStore {
  return {
    read: (ref) => store.read(ref),
    write: ({ request: _, ...write }) => store.write(write),
  };
}
