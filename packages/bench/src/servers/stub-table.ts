import { compileCondition } from './condition.js';
import type { Predicate, StoredItem, Value } from './expression.js';
import { compileUpdate, type Update } from './update.js';

/** How many different expressions are kept compiled. */
const MAX_COMPILED = 1_000;

/** What a request says of its expressions. */
export interface Expressions {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Value>>;
}

export type KeyAttributes = Readonly<Record<string, Value>>;

const conditions = new Map<string, Predicate>();
const updates = new Map<string, Update>();

function compiled<T>(cache: Map<string, T>, text: string, compile: (text: string) => T): T {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size >= MAX_COMPILED) cache.clear();
  const fresh = compile(text);
  cache.set(text, fresh);
  return fresh;
}

/** Items in memory, which every write really changes. No indexes, no streams, no sizes, nothing on disk. */
export class StubTable {
  readonly keyNames: readonly string[];
  readonly #items = new Map<string, StoredItem>();

  constructor(keyNames: readonly string[]) {
    this.keyNames = keyNames;
  }

  get(key: KeyAttributes): StoredItem | undefined {
    return this.#items.get(this.#idOf(key));
  }

  /** Every item, in the order in which they were first written. */
  all(): StoredItem[] {
    return [...this.#items.values()];
  }

  put(item: StoredItem): void {
    this.#items.set(this.#idOf(item), item);
  }

  delete(key: KeyAttributes): void {
    this.#items.delete(this.#idOf(key));
  }

  /** Whether a request's condition holds for an item. */
  allows(key: KeyAttributes, expressions: Expressions): boolean {
    const { ConditionExpression: condition, ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = expressions;
    if (condition === undefined) return true;
    return compiled(conditions, condition, compileCondition)({ item: this.get(key) ?? {}, names, values });
  }

  /** Items of a condition on the keys, by sort key. It looks at every item: the stub is for writes. */
  query(condition: string, { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Expressions): StoredItem[] {
    const holds = compiled(conditions, condition, compileCondition);
    const sortKey = (item: StoredItem): string => String(Object.values(item[this.keyNames[1] ?? ''] ?? {})[0]);
    const found = [...this.#items.values()].filter((item) => holds({ item, names, values }));
    return found.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }

  /** The item as the request's update leaves it; stored. */
  update(key: KeyAttributes, expressions: Expressions): StoredItem {
    const { UpdateExpression: update = '', ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = expressions;
    const item = compiled(updates, update, compileUpdate)({ item: this.get(key) ?? { ...key }, names, values });
    this.#items.set(this.#idOf(key), item);
    return item;
  }

  #idOf(attributes: KeyAttributes): string {
    return this.keyNames.map((name) => JSON.stringify(attributes[name])).join();
  }
}
