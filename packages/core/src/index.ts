export { availableTokens, type Form, formFor, guessForm, isStale, latestUs, waitMs } from './arrival.js';
export {
  type BucketRef,
  type BucketState,
  type BucketWrite,
  chargeMove,
  counterBase,
  hasApplied,
  insistChargeMove,
  insistMove,
  type LimitState,
  layoutOf,
  type Move,
  needsLongerTtl,
  REQUEST_SLOTS,
  type RequestId,
  type Reshape,
  type Seed,
  type SplitHint,
  type TakeMove,
  takeMove,
  ttlSecFor,
  type WriteOutcome,
  writtenBeforeSec,
} from './bucket.js';
export {
  type ConfigEntry,
  type ConfigLevel,
  type ConfigParts,
  type ConfigRecord,
  type ConfigRef,
  type ConfigSource,
  configRefs,
  type EntityControl,
  knowsLimit,
  type ResolvedConfig,
  resolveConfig,
  type UnavailablePolicy,
} from './config.js';
export type { ErrorData, ItemInError, TableInError } from './error-data.js';
export { describeValue, type ErrorCode, hasErrorCode, isMillraceError, MillraceError, ValidationError } from './errors.js';
export { greatestCommonDivisor } from './exact.js';
export { type RateLimitHeaders, rateLimitHeaders } from './headers.js';
export { checkInteger, checkKeys, checkLimitName, checkName, type NameKind, utf8Length } from './input.js';
export { instantMs, instantText } from './instant.js';
export { acrossLayouts, FIRST_LAYOUT, type Layout, layoutAfter, MAX_SHARDS, mostShards, shardCount, shardTiming } from './layout.js';
export { checkLimits, Limit, type LimitDefinition, type LimitOptions, MAX_LIMITS } from './limit.js';
export {
  type EntityRecord,
  type Lineage,
  lineageOf,
  MAX_DEPTH,
  NO_LINEAGE,
  newEntity,
  nextVersion,
  type Place,
  placeBelow,
} from './lineage.js';
export {
  AGGREGATOR_METRICS,
  DECISION_METRICS,
  type Distribution,
  ENTITY_FIELD,
  embeddedMetrics,
  LEDGER_CHECK_METRICS,
  LEDGER_METRICS,
  LIMITER_METRICS,
  METRIC_DIMENSION,
  METRICS_NAMESPACE,
  type MetricDefinition,
  type MetricPoint,
  type MetricUnit,
  OTHER_RESOURCES,
  SEALING_METRICS,
} from './metrics.js';
export type { AbortSignalLike, Clock, Random, Sleep } from './runtime.js';
export { creditInScale, debitInScale, inScale, isForeign, rescaleMove } from './scale.js';
export { ATTRIBUTE, limitAttribute, limitOfAttribute, limitOfWindowAttribute, windowAttribute } from './schema/attributes.js';
export {
  EVENT_PREFIX,
  type EventsRef,
  eventKey,
  eventNameKey,
  eventsPartition,
  meterKey,
  parseMeterKey,
} from './schema/event-keys.js';
export {
  auditPartition,
  bucketKey,
  bucketName,
  CHILD_PREFIX,
  childKey,
  configKey,
  configName,
  ENTITY_LIMITS_PREFIX,
  entityKey,
  escapeName,
  type ItemKey,
  type ListName,
  listKey,
  listPartition,
  manifestLockKey,
  manifestStateKey,
  namespaceKey,
  parseBucketKey,
  REGISTRY_PARTITION,
  SCHEMA_KEY,
  unescapeName,
} from './schema/keys.js';
export {
  type OpenPeriod,
  openPeriodKey,
  openPeriodsUntil,
  parseOpenPeriod,
  parseUncheckedPeriod,
  uncheckedPeriodKey,
  uncheckedPeriodsUntil,
} from './schema/period-keys.js';
export { TABLE_DEFINITION, TTL_ATTRIBUTE, WINDOW_INDEX } from './schema/table.js';
export {
  parseUsageKey,
  sealKey,
  USAGE_SOURCES,
  type UsageSource,
  usageKey,
  usagePartition,
  usageSort,
  WINDOW_TYPES,
  type WindowRef,
  type WindowType,
  windowName,
  windowNames,
  zoneKey,
} from './schema/usage-keys.js';
export { checkSchemaVersion, SCHEMA_VERSION } from './schema/version.js';
export { type LimitStatus, statusOf } from './status.js';
export {
  type BucketStore,
  type ConfigStore,
  type FailureReason,
  StoreFailure,
} from './store.js';
export { creditUs, debitUs, type Timing, timingOf } from './timing.js';
export { type AttributeValue, bigintAt, flagAt, numberAt, textAt, type WireItem, wireKey } from './wire/attribute-value.js';
export { bucketFromItem, bucketReadRequest, bucketWriteRequest, type GetItemWire, type UpdateItemWire } from './wire/bucket.js';
export { bucketWriteText } from './wire/bucket-text.js';
export { type BatchGetWire, configFromItem, configFromItems, configReadRequest } from './wire/config.js';
export { entityFromItem } from './wire/entity.js';
export { Expression } from './wire/expression.js';
export {
  type NamespaceRecord,
  type NamespaceState,
  namespaceFromItem,
  namespaceReadRequest,
} from './wire/namespace.js';
export { type SplitHintWire, splitHintRequest } from './wire/split-hint.js';
