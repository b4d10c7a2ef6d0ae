/** What is going on in an engine, so that closing can wait for it. What has ended is forgotten. */
export class Running {
  readonly #work = new Set<Promise<unknown>>();
  readonly #whenQuiet: (() => void)[] = [];
  #calls = 0;

  /** Remembers work until it has ended. */
  track<T>(work: Promise<T>): Promise<T> {
    const end = (): void => void this.#work.delete(ended);
    const ended = work.then(end, end);
    this.#work.add(ended);
    return work;
  }

  /** The same for a call that says itself when it ends, which takes no promise: every `begin` is followed by one `end`. */
  begin(): void {
    this.#calls += 1;
  }

  end(): void {
    this.#calls -= 1;
    if (this.#calls > 0 || this.#whenQuiet.length === 0) return;
    for (const resolve of this.#whenQuiet.splice(0)) resolve();
  }

  /** Ends when nothing goes on. */
  async idle(): Promise<void> {
    while (this.#calls > 0 || this.#work.size > 0) {
      const quiet = this.#calls === 0 ? undefined : new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
      await Promise.allSettled([...this.#work, quiet]);
    }
  }
}
