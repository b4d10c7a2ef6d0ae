import { ATTRIBUTE, type ItemKey } from '@millrace/core';

/** An item with its key, in plain values: text, numbers, true and false, lists and maps of them. Whole numbers beyond 2^53 are bigints. */
export type Item = Readonly<Record<string, unknown>>;

/** What must hold of an item for a write to happen; all clauses must. */
export type Condition = readonly Clause[];

export type Clause =
  | { readonly attribute: string; readonly is: 'absent' | 'present' }
  | { readonly attribute: string; readonly equals: string | number | bigint | boolean }
  | { readonly attribute: string; readonly atMost: number | bigint };

/** Adds to a number of any size, which begins somewhere where it is not there yet. */
export interface Count {
  readonly begin: number | bigint;
  readonly add: number;
}

/** One write of a transaction. */
export type ItemWrite =
  | { readonly kind: 'put'; readonly item: Item; readonly when?: Condition }
  | { readonly kind: 'delete'; readonly key: ItemKey; readonly when?: Condition }
  | {
      readonly kind: 'update';
      readonly key: ItemKey;
      readonly set?: Readonly<Record<string, unknown>>;
      readonly add?: Readonly<Record<string, number>>;
      readonly count?: Readonly<Record<string, Count>>;
      readonly remove?: readonly string[];
      readonly when?: Condition;
    }
  /** Writes nothing, but the transaction happens only if it holds. */
  | { readonly kind: 'check'; readonly key: ItemKey; readonly when: Condition };

/** Which items of a partition: those whose sort keys begin with `prefix`, lie after `after`, in order or newest first. */
export interface ItemQuery {
  readonly partition: string;
  readonly prefix?: string;
  /** From this sort key on, itself included. */
  readonly from?: string;
  /** Up to this sort key, itself included. */
  readonly to?: string;
  /** Go on behind this sort key: the `next` of the page before. */
  readonly after?: string;
  readonly newestFirst?: boolean;
  readonly pageSize: number;
}

export interface ItemPage {
  readonly items: readonly Item[];
  /** The sort key to go on behind; absent on the last page. */
  readonly next?: string;
}

export interface KeyPage {
  readonly keys: readonly ItemKey[];
  /** Where to go on; absent when the whole table was seen. */
  readonly next?: ItemKey;
}

/** At most so many writes fit into one transaction. */
export const MAX_TRANSACTION_WRITES = 100;

/**
 * The table as administration sees it. All reads see the last answered write. A refused condition is an answer; whatever
 * else goes wrong is a `StoreFailure`. Requests that changed nothing for certain are sent again within the deadline.
 */
export interface ItemTable {
  /** Items in the order of their keys; undefined where there is none. One request for each hundred. */
  get(keys: readonly ItemKey[]): Promise<readonly (Item | undefined)[]>;
  query(query: ItemQuery): Promise<ItemPage>;
  /** All writes happen or none. `conflict`: some condition did not hold. */
  transact(writes: readonly ItemWrite[]): Promise<'done' | 'conflict'>;
  /** Deletes items, whether they exist or not; each for itself. One request for each 25. */
  deleteAll(keys: readonly ItemKey[]): Promise<void>;
  /** Keys of items whose partition keys begin with `prefix`. It reads the whole table, a page at a time; a page may be empty. */
  scan(prefix: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage>;
  /**
   * Keys of the items that the sparse index has under a name: those whose attribute `w` is it. The index follows the table
   * after a moment, so it may lack what was written just now.
   */
  indexed(name: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage>;
}

/** The key of an item. */
export function keyOf(item: Item): ItemKey {
  return { partition: String(item[ATTRIBUTE.partitionKey]), sort: String(item[ATTRIBUTE.sortKey]) };
}
