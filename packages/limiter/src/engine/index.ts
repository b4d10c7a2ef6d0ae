export { Engine, type EngineOptions, type Verdict } from './engine.js';
export {
  AcquireAborted,
  errorFor,
  isRateLimitExceeded,
  LeaseSettled,
  LimiterClosed,
  publicError,
  RateLimitExceeded,
  RateLimiterUnavailable,
} from './errors.js';
export { Lease } from './lease.js';
export type { Amounts } from './level.js';
export { MonotonicClock } from './monotonic-clock.js';
export type { AcquireOptions, LimitsArgument, LimitsOptions } from './request.js';
export { type RetryParts, withRetries } from './send.js';
export { type LimiterStats, Stats } from './stats.js';
