import type { LimitStatus } from '@millrace/core';

/** The longest wait of several limits. */
export function longestMs(statuses: readonly LimitStatus[]): number {
  return statuses.reduce((longest, status) => Math.max(longest, status.retryAfterMs), 0);
}
