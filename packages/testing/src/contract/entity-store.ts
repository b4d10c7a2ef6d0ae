import type { EntityStore } from '@millrace/core';
import { describe } from 'vitest';
import { describeCreation, describeDeletion } from './entity-changes.js';
import { describeChildren } from './entity-children.js';
import { describeEntityConcurrency } from './entity-concurrency.js';
import { type OpenStore, suiteStore } from './opened-store.js';

/** Declares the tests that every store of entities has to pass. Its tests run against one store that `open` gives. */
export function describeEntityStore(name: string, open: OpenStore<EntityStore>): void {
  describe(`${name}, a store of entities`, () => {
    const store = suiteStore(open);
    describeCreation(store);
    describeDeletion(store);
    describeChildren(store);
    describeEntityConcurrency(store);
  });
}
