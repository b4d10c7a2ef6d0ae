import type { ItemTable } from '../admin/item-table.js';

/** What reads of the ledger ask a table for. */
type Reads = Pick<ItemTable, 'get' | 'query' | 'indexed'>;

/** A table that is asked before each request whether there is time for one; once there is none, `interrupt` makes what is thrown. */
export function itemsInTime(items: Reads, mayGoOn: () => boolean, interrupt: () => Error): Reads {
  const inTime =
    <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (!mayGoOn()) throw interrupt();
      return ask(...args);
    };
  return {
    get: inTime((keys) => items.get(keys)),
    query: inTime((query) => items.query(query)),
    indexed: inTime((name, after, pageSize) => items.indexed(name, after, pageSize)),
  };
}
