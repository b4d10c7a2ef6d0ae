export type {
  ConfigLevel,
  ConfigSource,
  EntityControl,
  ErrorCode,
  ErrorData,
  UnavailablePolicy,
  UsageSource,
  WindowType,
} from '@millrace/core';
export {
  hasErrorCode,
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
export type { ActorOptions } from './admin/administration.js';
export type { AuditAction, AuditEvent } from './admin/audit-event.js';
export type { AuditLog, AuditPage, ListAuditOptions } from './admin/audit-log.js';
export type { Entities, Entity } from './admin/entities.js';
export type { DeleteProgress } from './admin/entity-delete.js';
export type { EntityLevel, EntityLevelPage } from './admin/entity-levels.js';
export type { ControlOptions, CreateEntityOptions, DeleteEntityOptions, MoveEntityOptions } from './admin/entity-options.js';
export type { NamePage, PageOptions } from './admin/named-pages.js';
export type { NamespaceDescription } from './admin/namespace-record.js';
export type { NamespacePage, Namespaces, RegisterOptions } from './admin/namespaces.js';
export type { PurgeOptions, PurgeProgress, PurgeResult } from './admin/purge.js';
export type { StoredLevel } from './admin/stored-level.js';
export type { LimitsInput, StoredLimits } from './admin/stored-limits.js';
export type { BillingOptions, FlushSignal } from './billing/billing-options.js';
export type { UsageEvent } from './billing/usage-event.js';
export type { DynamoClient } from './dynamo/client.js';
export {
  AcquireAborted,
  type AcquireOptions,
  type Amounts,
  type ClockEstimate,
  type ConfigCacheStats,
  EntityDisabled,
  type EventMeta,
  type EventValue,
  type Explanation,
  type HedgingOptions,
  isRateLimitExceeded,
  type Lease,
  LeaseSettled,
  LimiterClosed,
  type LimiterStats,
  type LimitsArgument,
  type LimitsOptions,
  type PrefetchOptions,
  RateLimitExceeded,
  RateLimiterUnavailable,
  type RecordingStats,
  type Verdict,
} from './engine/index.js';
export type { RateLimiterOptions } from './options.js';
export { RateLimiter } from './rate-limiter.js';
export type { CurrentLimit, CurrentOptions, CurrentUsage } from './usage/current.js';
export type { EventPage, EventsOptions, FindEventOptions } from './usage/events.js';
export type { FindingKind, UsageFinding } from './usage/examine.js';
export type { SealCheck, SealContent, SealName, SealOptions, UsageSeal } from './usage/seal.js';
export type { SnapshotPage, SnapshotsOptions, UsageSnapshot } from './usage/snapshots.js';
export type { SummaryOptions, UsageSummary } from './usage/summary.js';
export type { TopOptions, TopUsage } from './usage/top.js';
export type {
  RepairUsageOptions,
  UsageInFlight,
  UsageProgress,
  UsageRepair,
  UsageVerdict,
  VerifyUsageOptions,
} from './usage/trust-options.js';
export type { Usage } from './usage/usage.js';
export type { LimitUsage, UsageByLimit } from './usage/usage-parts.js';
