/** When every simulated world begins. */
export const START_US = 1_800_000_000_000_000;

interface Event {
  readonly atUs: number;
  readonly order: number;
  readonly happen: () => void;
}

/**
 * Time that passes only from event to event. Between two events everything that promises have to do is done, so a run
 * depends on nothing but its seed.
 */
export class VirtualTime {
  nowUs: number;
  /** How many events have happened. */
  events = 0;
  readonly #heap: Event[] = [];
  #order = 0;

  constructor(nowUs: number) {
    this.nowUs = nowUs;
  }

  /** Lets something happen so many microseconds from now. */
  in(delayUs: number, happen: () => void): void {
    this.#order += 1;
    const event = { atUs: this.nowUs + Math.max(0, Math.floor(delayUs)), order: this.#order, happen };
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Event;
      if (!isBefore(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  /** Resolves so many microseconds from now. */
  wait(delayUs: number): Promise<void> {
    return new Promise((resolve) => this.in(delayUs, resolve));
  }

  /** Runs until nothing is left to happen. */
  async run(): Promise<void> {
    await settled();
    for (let event = this.#next(); event !== undefined; event = this.#next()) {
      this.nowUs = event.atUs;
      this.events += 1;
      event.happen();
      await settled();
    }
  }

  #next(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child += 1;
      if (!isBefore(heap[child] as Event, last)) break;
      heap[index] = heap[child] as Event;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);
}

// An immediate runs after all promise jobs, also those that other promise jobs queue.
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
