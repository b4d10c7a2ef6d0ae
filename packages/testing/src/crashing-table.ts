import type { ItemKey } from '@millrace/core';
import type { Item, ItemPage, ItemQuery, ItemTable, ItemWrite, KeyPage } from '@millrace/limiter/admin';

/** When a process dies: at which request, counted from 1, and before that request was carried out or after. */
export interface CrashPoint {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** What a caller meets when its process would have died. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

const DELETES_PER_REQUEST = 25;
const GETS_PER_REQUEST = 100;

/**
 * The table of a process that dies at a request: that one throws, and so does every later one, since a dead process sends
 * nothing more. What has reached the table below stays. Reads of many items, and deletes, count as the requests that
 * DynamoDB takes for them, so that a crash also comes in between.
 */
export class CrashingTable implements ItemTable {
  readonly #table: ItemTable;
  readonly #point: CrashPoint | undefined;
  /** The operations that were asked for, one entry for each request. */
  readonly operations: string[] = [];

  /** Without a `point` it only counts. */
  constructor(table: ItemTable, point?: CrashPoint) {
    this.#table = table;
    this.#point = point;
  }

  /** How many requests were sent, the fatal one included. */
  get requests(): number {
    return this.operations.length;
  }

  /** Whether the fatal request was met. */
  get crashed(): boolean {
    return this.#point !== undefined && this.requests >= this.#point.at;
  }

  async get(keys: readonly ItemKey[]): Promise<readonly (Item | undefined)[]> {
    const items: (Item | undefined)[] = [];
    for (const chunk of chunks(keys, GETS_PER_REQUEST)) items.push(...(await this.#request('get', () => this.#table.get(chunk))));
    return items;
  }

  query(query: ItemQuery): Promise<ItemPage> {
    return this.#request('query', () => this.#table.query(query));
  }

  transact(writes: readonly ItemWrite[]): Promise<'done' | 'conflict'> {
    return this.#request('transact', () => this.#table.transact(writes));
  }

  async deleteAll(keys: readonly ItemKey[]): Promise<void> {
    for (const chunk of chunks(keys, DELETES_PER_REQUEST)) await this.#request('deleteAll', () => this.#table.deleteAll(chunk));
  }

  scan(prefix: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage> {
    return this.#request('scan', () => this.#table.scan(prefix, after, pageSize));
  }

  indexed(name: string, after: ItemKey | undefined, pageSize: number): Promise<KeyPage> {
    return this.#request('indexed', () => this.#table.indexed(name, after, pageSize));
  }

  async #request<T>(operation: string, carryOut: () => Promise<T>): Promise<T> {
    if (this.crashed) throw new Crash(`the process died before this ${operation}`);
    this.operations.push(operation);
    if (!this.crashed) return carryOut();
    if (this.#point?.when === 'after') await carryOut();
    throw new Crash(`the process dies ${this.#point?.when} request ${this.requests}, a ${operation}`);
  }
}

function chunks<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => values.slice(index * size, (index + 1) * size));
}
