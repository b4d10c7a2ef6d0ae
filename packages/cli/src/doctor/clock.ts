/** How far the server's clock is ahead of ours, in milliseconds: somewhere between the two. */
export interface ClockOffset {
  readonly minMs: number;
  readonly maxMs: number;
}

/** What it takes to compare clocks. */
export interface ClockParts {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** The server's `Date` of one answer, in milliseconds; undefined where it says none. */
  readonly dateMs: () => Promise<number | undefined>;
}

/** A header says whole seconds, so one answer leaves a second of doubt; each well-timed one more leaves half of it. */
const SECOND_MS = 1_000;
const MAX_ANSWERS = 10;

/**
 * Compares this machine's clock with a server's until it is clear whether they differ by less than `toleranceMs`. An
 * answer's second, and when it was asked for and came, bound the difference; all bounds hold together. Each further
 * request is timed so that the server's second ends in the middle of what is still possible. Undefined without a `Date`,
 * or where the answers contradict each other: then some clock was set meanwhile.
 */
export async function compareClocks({ nowMs, sleep, dateMs }: ClockParts, toleranceMs: number): Promise<ClockOffset | undefined> {
  let [minMs, maxMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let answers = 0; answers < MAX_ANSWERS; answers += 1) {
    const askedMs = nowMs();
    const date = await dateMs();
    if (date === undefined) return undefined;
    const cameMs = nowMs();
    minMs = Math.max(minMs, date - cameMs);
    maxMs = Math.min(maxMs, date + SECOND_MS - askedMs);
    if (minMs > maxMs) return undefined;
    if (isClear({ minMs, maxMs }, toleranceMs)) break;
    // When the server's second turns, if the difference is in the middle; a little earlier, for the way there.
    const turnsInMs = SECOND_MS - ((((nowMs() + (minMs + maxMs) / 2) % SECOND_MS) + SECOND_MS) % SECOND_MS);
    await sleep(Math.max(0, turnsInMs - (cameMs - askedMs) / 2));
  }
  return { minMs, maxMs };
}

/** Whether it is certain that the clocks agree, or that they do not. */
export function isClear({ minMs, maxMs }: ClockOffset, toleranceMs: number): boolean {
  return agree({ minMs, maxMs }, toleranceMs) || minMs > toleranceMs || maxMs < -toleranceMs;
}

/** Whether it is certain that the clocks differ by no more than that. */
export function agree({ minMs, maxMs }: ClockOffset, toleranceMs: number): boolean {
  return minMs >= -toleranceMs && maxMs <= toleranceMs;
}
