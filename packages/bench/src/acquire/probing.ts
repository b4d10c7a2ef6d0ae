import { setImmediate as turn } from 'node:timers/promises';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import type { Site } from '../servers/site.js';

/** What callers who never stop asking cost on an exhausted key. */
export interface Probing {
  /** Calls between the first rejection and the moment of refill, and the requests that they made. */
  readonly callsBetween: number;
  readonly requestsBetween: number;
  /** Requests of the calls that found the token there again, for each refill. */
  readonly requestsAtRefill: readonly number[];
}

const REFILLS = 3;
const PATIENCE_MS = 20_000;

/**
 * Rounds of calls at once on a key of one token that comes back every half second. The bucket's state is believed for a
 * second, so that nothing but the refill makes a request due.
 */
export async function checkProbing(site: Site, callers: number): Promise<Probing> {
  const { endpoint, region, credentials } = site;
  const table = 'bench-probing';
  await createTable({ table, endpoint, region, credentials });
  await using limiter = await RateLimiter.open({ table, endpoint, region, credentials });
  await limiter.limits.setResource('api', [Limit.of({ name: 'requests', capacity: 1, refill: 2, periodMs: 1_000 })]);
  await limiter.entities.create('drained', {});

  const writes = (): number => limiter.stats().requests['UpdateItem'] ?? 0;
  const round = async (): Promise<{ admitted: number; requests: number }> => {
    const before = writes();
    const verdicts = await Promise.all(Array.from({ length: callers }, () => limiter.tryAcquire('drained', 'api', { requests: 1 })));
    return { admitted: verdicts.filter(({ allowed }) => allowed).length, requests: writes() - before };
  };

  await round();
  let [callsBetween, requestsBetween] = [0, 0];
  const requestsAtRefill: number[] = [];
  const untilMs = Date.now() + PATIENCE_MS;
  while (requestsAtRefill.length < REFILLS && Date.now() < untilMs) {
    const { admitted, requests } = await round();
    if (admitted > 0) requestsAtRefill.push(requests);
    else {
      callsBetween += callers;
      requestsBetween += requests;
    }
    await turn();
  }
  return { callsBetween, requestsBetween, requestsAtRefill };
}
