import { scaleUp } from './exact.js';
import type { LimitStatus } from './status.js';

/** HTTP fields that tell a caller of its limits. */
export type RateLimitHeaders = Readonly<Record<'RateLimit-Policy' | 'RateLimit' | 'Retry-After', string>>;

/**
 * The fields of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-09), and
 * `Retry-After`, for a request that was refused.
 *
 * A token bucket has no window; `w` is the time it takes to fill, `q` its capacity, `t` the time until the request fits.
 * Where a limit of one name exists at several levels, the one that is hardest to pass speaks for it. A debt prints as 0.
 */
export function rateLimitHeaders(statuses: readonly LimitStatus[], retryAfterMs: number): RateLimitHeaders {
  const binding = new Map<string, LimitStatus>();
  for (const status of statuses) {
    const other = binding.get(status.limit);
    if (other === undefined || isHarder(status, other)) binding.set(status.limit, status);
  }
  const entries = [...binding.values()];
  return {
    'RateLimit-Policy': entries.map((entry) => `"${entry.limit}";q=${entry.capacity};w=${fillSec(entry)}`).join(', '),
    RateLimit: entries.map((entry) => `"${entry.limit}";r=${Math.max(0, entry.available)};t=${ceilSec(entry.retryAfterMs)}`).join(', '),
    'Retry-After': String(ceilSec(retryAfterMs)),
  };
}

function isHarder(a: LimitStatus, b: LimitStatus): boolean {
  return a.retryAfterMs === b.retryAfterMs ? a.available < b.available : a.retryAfterMs > b.retryAfterMs;
}

function fillSec(status: LimitStatus): number {
  return Math.max(1, ceilSec(scaleUp(status.capacity, status.periodMs, status.refill)));
}

// Rounded up: a caller that comes back after the whole second must not be a fraction too early.
function ceilSec(ms: number): number {
  return Math.ceil(ms / 1000);
}
