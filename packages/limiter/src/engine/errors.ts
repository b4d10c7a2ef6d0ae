import { isMillraceError, type LimitStatus, MillraceError, type RateLimitHeaders, rateLimitHeaders, StoreFailure } from '@millrace/core';

/** The request does not fit now. Nothing was taken at any level. */
export class RateLimitExceeded extends MillraceError<'RATE_LIMIT_EXCEEDED'> {
  override readonly name = 'RateLimitExceeded';
  /**
   * How long until the request would fit if nobody else took. Waiting so long suffices, one millisecond less does not. Of a
   * bucket that is spread over several items it is the least of those that were asked, and another may have room before.
   */
  readonly retryAfterMs: number;
  /** Every limit that was looked at, at every level: those that stand in the way and those that do not. */
  readonly statuses: readonly LimitStatus[];

  constructor(statuses: readonly LimitStatus[], retryAfterMs: number) {
    const exceeded = statuses.filter((status) => status.exceeded).map(describeStatus);
    super('RATE_LIMIT_EXCEEDED', `rate limit exceeded: ${exceeded.join('; ')}; retry in ${retryAfterMs} ms`);
    this.statuses = statuses;
    this.retryAfterMs = retryAfterMs;
  }

  /** The limits that stand in the way. */
  get violations(): readonly LimitStatus[] {
    return this.statuses.filter((status) => status.exceeded);
  }

  /** HTTP fields for a 429: `RateLimit-Policy`, `RateLimit` and `Retry-After`. */
  headers(): RateLimitHeaders {
    return rateLimitHeaders(this.statuses, this.retryAfterMs);
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return { name: this.name, code: this.code, message: this.message, retryAfterMs: this.retryAfterMs, statuses: this.statuses };
  }
}

/** True for a refusal, also one of another copy of the package, where `instanceof` fails. */
export function isRateLimitExceeded(error: unknown): error is RateLimitExceeded {
  return isMillraceError(error) && error.code === 'RATE_LIMIT_EXCEEDED';
}

function describeStatus(status: LimitStatus): string {
  return `"${status.limit}" of ${status.entity} on ${status.resource} has ${status.available} of ${status.capacity}, ${status.requested} asked`;
}

/** The entity, or one that it cascades to, was disabled by an administrator. Waiting does not help. Nothing was taken. */
export class EntityDisabled extends MillraceError<'ENTITY_DISABLED'> {
  override readonly name = 'EntityDisabled';
  readonly entity: string;
  /** Why; undefined where the administrator gave no reason. */
  readonly reason: string | undefined;

  constructor(entity: string, reason: string | undefined) {
    super('ENTITY_DISABLED', `entity "${entity}" is disabled${reason === undefined ? '' : `: ${reason}`}; enable it to use it again`);
    this.entity = entity;
    this.reason = reason;
  }
}

/** The store could not be reached, or did not answer in time. What was asked may have been taken; it is never minted. */
export class RateLimiterUnavailable extends MillraceError<'UNAVAILABLE'> {
  override readonly name = 'RateLimiterUnavailable';

  constructor(message: string, options: { readonly cause: unknown }) {
    super('UNAVAILABLE', message, options);
  }
}

/** The lease was committed or released before; it settles once. */
export class LeaseSettled extends MillraceError<'LEASE_SETTLED'> {
  override readonly name = 'LeaseSettled';
  /** What was asked of it: `commit`, `adjust`. */
  readonly operation: string;
  /** How it was settled: `committed`, `released`. */
  readonly settledAs: string;

  constructor(operation: string, settledAs: string) {
    super('LEASE_SETTLED', `cannot ${operation} a lease that was ${settledAs}; acquire a new one`);
    this.operation = operation;
    this.settledAs = settledAs;
  }
}

/** The limiter was closed. */
export class LimiterClosed extends MillraceError<'CLOSED'> {
  override readonly name = 'LimiterClosed';
  /** What was asked of it, in words. */
  readonly operation: string;

  constructor(operation: string) {
    super('CLOSED', `cannot ${operation}: the limiter is closed; open a new one`);
    this.operation = operation;
  }
}

/** The caller's signal ended the acquire. What it had taken is given back. */
export class AcquireAborted extends MillraceError<'ABORTED'> {
  // The name that code around AbortSignal looks for.
  override readonly name = 'AbortError';

  constructor(reason: unknown) {
    super('ABORTED', 'the acquire was aborted; what it had taken is given back', { cause: reason });
  }
}

/** The namespace that a limiter has open was deleted. */
export function namespaceClosed(namespaceId: string): MillraceError<'NAMESPACE_STATE'> {
  const message = 'the namespace of this limiter was deleted; recover it, or open another one';
  return new MillraceError('NAMESPACE_STATE', message, { data: { namespaceId } });
}

const CODES = {
  'table-missing': 'TABLE_NOT_FOUND',
  'table-unusable': 'TABLE_UNUSABLE',
  'access-denied': 'ACCESS_DENIED',
  credentials: 'CREDENTIALS',
} as const;

/** The error that callers meet when a store gave no answer. */
export function errorFor(failure: StoreFailure): MillraceError {
  const { reason, table, message } = failure;
  if (!(reason in CODES)) return new RateLimiterUnavailable(`the store gave no answer: ${message}`, { cause: failure });
  const data = table === undefined ? {} : { table };
  return new MillraceError(CODES[reason as keyof typeof CODES], message, { cause: failure, data });
}

/** What callers see of anything thrown: failures of the store become errors of Millrace, the rest stays as it is. */
export function publicError(error: unknown): unknown {
  return error instanceof StoreFailure ? errorFor(error) : error;
}
