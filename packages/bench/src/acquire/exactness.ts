import { setTimeout as sleepFor } from 'node:timers/promises';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import type { Site } from '../servers/site.js';

/** What a hot key admitted while its limit really held somebody back. */
export interface Exactness {
  readonly admitted: number;
  readonly rejected: number;
  /** Capacity and what flowed back meanwhile, in tokens. */
  readonly bound: number;
  /** Admissions that came before one that was asked for earlier. */
  readonly inversions: number;
}

const CAPACITY = 1_000;
const PER_SECOND = 2_000;
/** A refused caller comes back when it is told to, but not later than this: a bench is short. */
const LONGEST_PAUSE_MS = 20;

/** Callers on one key for a time, with a limit far below what they ask for. The bound is capacity plus rate times time. */
export async function checkExactness(site: Site, callers: number, durationMs: number): Promise<Exactness> {
  const { endpoint, region, credentials } = site;
  const table = 'bench-exactness';
  await createTable({ table, endpoint, region, credentials });
  await using limiter = await RateLimiter.open({ table, endpoint, region, credentials, requestTimeoutMs: 30_000, deadlineMs: 60_000 });
  await limiter.limits.setResource('api', [Limit.of({ name: 'requests', capacity: CAPACITY, refill: PER_SECOND, periodMs: 1_000 })]);

  let [calls, admitted, rejected, lastAdmitted, inversions] = [0, 0, 0, -1, 0];
  const startedAtMs = Date.now();
  const caller = async (): Promise<void> => {
    while (Date.now() - startedAtMs < durationMs) {
      const place = calls;
      calls += 1;
      const verdict = await limiter.tryAcquire('hot', 'api', { requests: 1 });
      if (!verdict.allowed) {
        rejected += 1;
        await sleepFor(Math.min(verdict.retryAfterMs, LONGEST_PAUSE_MS));
        continue;
      }
      admitted += 1;
      if (place < lastAdmitted) inversions += 1;
      lastAdmitted = place;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  // The limiter's clock has whole milliseconds: the last token may have come with the one that has just begun.
  const elapsedMs = Date.now() - startedAtMs + 1;
  return { admitted, rejected, bound: CAPACITY + Math.floor((PER_SECOND * elapsedMs) / 1_000), inversions };
}
