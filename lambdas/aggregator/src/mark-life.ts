const DAY_SEC = 86_400;
const KEPT_DAYS = 400;

/** When a mark may be deleted that nobody has ever looked at, in seconds: whoever turns sealing off leaves nothing behind for ever. */
export function markExpiresSec(periodEndMs: number): number {
  return Math.floor(periodEndMs / 1_000) + KEPT_DAYS * DAY_SEC;
}
