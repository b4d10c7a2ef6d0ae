/** A map that forgets what was used longest ago once it is full. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #maxEntries: number;
  readonly #onForgotten: (value: Value) => void;
  /** The key that was used last: mostly it is the one that is asked for next. */
  #youngest: string | undefined;

  /** `onForgotten` is told of what had to make room. */
  constructor(maxEntries: number, onForgotten: (value: Value) => void = () => undefined) {
    this.#maxEntries = maxEntries;
    this.#onForgotten = onForgotten;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || key === this.#youngest) return value;
    this.#youngest = key;
    // A Map iterates in the order of insertion: inserting again makes the entry the youngest.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    if (key !== this.#youngest) this.#entries.delete(key);
    this.#youngest = key;
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#maxEntries) return;
    const oldest = this.#entries.entries().next();
    if (oldest.done) return;
    this.#entries.delete(oldest.value[0]);
    this.#onForgotten(oldest.value[1]);
  }

  delete(key: string): void {
    if (key === this.#youngest) this.#youngest = undefined;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#youngest = undefined;
    this.#entries.clear();
  }

  values(): Iterable<Value> {
    return this.#entries.values();
  }
}
