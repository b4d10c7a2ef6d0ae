/** What a worker waits with: its own clock, and k6's word on whether it is ready. */
export interface BarrierParts {
  readonly nowMs: () => number;
  readonly sleep: (delayMs: number) => Promise<void>;
  readonly isReady: () => Promise<boolean>;
}

export type Passed = { readonly passed: true; readonly delayMs: number } | { readonly passed: false; readonly reason: string };

/** How often a worker asks k6 whether it is ready. */
const POLL_MS = 50;

/**
 * Waits for the agreed moment. Workers cannot hear each other, and nothing can come in to a Lambda function: all they
 * share is the time of day.
 *
 * @param startAtMs The moment, in milliseconds since the epoch.
 * @param toleranceMs How late a worker may be and still take part. Later, its share of the load would come at another
 *   time than everybody else's, and the run would be of a load that nobody asked for.
 */
export async function passBarrier(startAtMs: number, toleranceMs: number, { nowMs, sleep, isReady }: BarrierParts): Promise<Passed> {
  const lastMs = startAtMs + toleranceMs;
  while (!(await isReady())) {
    if (nowMs() > lastMs) return { passed: false, reason: `k6 was not ready ${toleranceMs} ms after the start` };
    await sleep(POLL_MS);
  }
  const waitMs = startAtMs - nowMs();
  if (waitMs < -toleranceMs) return { passed: false, reason: `ready ${-waitMs} ms after the start, ${toleranceMs} are allowed` };
  if (waitMs > 0) await sleep(waitMs);
  return { passed: true, delayMs: Math.max(0, -waitMs) };
}
