import type { ItemTable } from '@millrace/limiter/admin';
import { describe } from 'vitest';
import { describeItemBatches } from './item-batches.js';
import { describeItemIndex } from './item-index.js';
import { describeItemQueries } from './item-queries.js';
import { describeItemRefusals } from './item-refusals.js';
import { describeItemTransactions } from './item-transactions.js';
import { type OpenStore, suiteStore } from './opened-store.js';

/** Declares the tests that every table of items has to pass. Its tests run against one table that `open` gives. */
export function describeItemTable(name: string, open: OpenStore<ItemTable>): void {
  describe(`${name}, a table of items`, () => {
    const table = suiteStore(open);
    describeItemTransactions(table);
    describeItemRefusals(table);
    describeItemQueries(table);
    describeItemBatches(table);
    describeItemIndex(table);
  });
}
