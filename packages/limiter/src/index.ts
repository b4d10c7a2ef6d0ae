export type { ErrorCode } from '@millrace/core';
export {
  isMillraceError,
  Limit,
  type LimitDefinition,
  type LimitOptions,
  type LimitStatus,
  MillraceError,
  type RateLimitHeaders,
  rateLimitHeaders,
  ValidationError,
} from '@millrace/core';
export type { DynamoClient } from './dynamo/client.js';
export {
  AcquireAborted,
  type AcquireOptions,
  type Amounts,
  isRateLimitExceeded,
  type Lease,
  LeaseSettled,
  LimiterClosed,
  type LimiterStats,
  type LimitsArgument,
  type LimitsOptions,
  RateLimitExceeded,
  RateLimiterUnavailable,
  type Verdict,
} from './engine/index.js';
export type { CreateEntityOptions, Entities, Entity, ListChildrenOptions } from './entities.js';
export { RateLimiter, type RateLimiterOptions } from './rate-limiter.js';
