export { availableTokens, type Form, formFor, guessForm, isStale, latestUs, waitMs } from './arrival.js';
export {
  type BucketRef,
  type BucketState,
  type BucketWrite,
  chargeMove,
  counterBase,
  insistChargeMove,
  insistMove,
  type LimitState,
  type Move,
  needsLongerTtl,
  type TakeMove,
  takeMove,
  ttlSecFor,
  type WriteOutcome,
} from './bucket.js';
export { describeValue, type ErrorCode, isMillraceError, MillraceError, ValidationError } from './errors.js';
export { type RateLimitHeaders, rateLimitHeaders } from './headers.js';
export { checkInteger, checkKeys, checkLimitName, checkName, type NameKind } from './input.js';
export { checkLimits, Limit, type LimitDefinition, type LimitOptions, MAX_LIMITS } from './limit.js';
export { type EntityRecord, type Lineage, lineageOf, MAX_DEPTH, NO_LINEAGE, newEntity, nextVersion } from './lineage.js';
export type { AbortSignalLike, Clock, Random, Sleep } from './runtime.js';
export { bucketKey, childKey, entityKey, type ItemKey, namespaceKey, parseBucketKey } from './schema/keys.js';
export { TABLE_DEFINITION, TTL_ATTRIBUTE } from './schema/table.js';
export { SCHEMA_VERSION } from './schema/version.js';
export { type LimitStatus, statusOf } from './status.js';
export { type BucketStore, type ChildPage, type EntityChange, type EntityStore, type FailureReason, StoreFailure } from './store.js';
export { creditUs, debitUs, type Timing, timingOf } from './timing.js';
export type { AttributeValue, WireItem } from './wire/attribute-value.js';
export { bucketFromItem, bucketReadRequest, bucketWriteRequest, type GetItemWire, type UpdateItemWire } from './wire/bucket.js';
export {
  childOfItem,
  childrenRequest,
  entityCreateRequest,
  entityDeleteRequest,
  entityFromItem,
  entityReadRequest,
  type QueryWire,
  type TransactWriteWire,
} from './wire/entity.js';
export {
  type NamespaceRecord,
  namespaceFromItem,
  namespaceReadRequest,
  namespaceRegisterRequest,
  type PutItemWire,
} from './wire/namespace.js';
