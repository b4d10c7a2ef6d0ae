export type { Verdict } from './acquirer.js';
export { type ClockEstimate, ClockOffset } from './clock-offset.js';
export type { CachedConfig, ConfigCache, ConfigCacheStats } from './config-cache.js';
export { CorrectedClock } from './corrected-clock.js';
export { Engine, type EngineOptions, type Explanation } from './engine.js';
export {
  AcquireAborted,
  EntityDisabled,
  errorFor,
  isRateLimitExceeded,
  LeaseSettled,
  LimiterClosed,
  namespaceClosed,
  publicError,
  RateLimitExceeded,
  RateLimiterUnavailable,
} from './errors.js';
export { checkHedging, type HedgingOptions } from './hedge-budget.js';
export { Lease } from './lease.js';
export type { Amounts } from './level.js';
export { MonotonicClock } from './monotonic-clock.js';
export { type Decision, type DecisionObserver, Observation } from './observation.js';
export { checkPrefetch, type PrefetchOptions, type PrefetchSettings } from './prefetch-options.js';
export type { CommittedUse, EventMeta, EventValue, RecordingStats, UseRecorder } from './recording.js';
export type { AcquireOptions, LimitsArgument, LimitsOptions, Request } from './request.js';
export { type RetryParts, withRetries } from './send.js';
export { type LimiterStats, Stats } from './stats.js';
export { TECHNIQUES, type Technique, type Techniques } from './techniques.js';
