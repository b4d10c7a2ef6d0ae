import type { RateLimiter } from '@millrace/limiter';
import { type Administration, administrationOf } from '@millrace/limiter/admin';

/** Where a manifest is applied: an open limiter, whose namespace it is, or what one administers with. */
export type Reach = RateLimiter | Administration;

/** What to read and write with. */
export function administrationAt(reach: Reach): Administration {
  return 'items' in reach ? reach : administrationOf(reach);
}
