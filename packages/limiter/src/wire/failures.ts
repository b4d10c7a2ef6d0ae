import { type FailureReason, StoreFailure } from '@millrace/core';

/** What an error of the SDK, or of the lean transport, means, and whether the request may have changed something all the same. */
type Meaning = readonly [reason: FailureReason, applied: 'no' | 'unknown'];

const BY_NAME: Readonly<Record<string, Meaning>> = {
  ProvisionedThroughputExceededException: ['throttled', 'no'],
  ThrottlingException: ['throttled', 'no'],
  RequestLimitExceeded: ['throttled', 'no'],
  TransactionConflictException: ['throttled', 'no'],
  TransactionInProgressException: ['throttled', 'no'],
  ResourceNotFoundException: ['table-missing', 'no'],
  ValidationException: ['table-unusable', 'no'],
  AccessDeniedException: ['access-denied', 'no'],
  CredentialsProviderError: ['credentials', 'no'],
  ExpiredTokenException: ['credentials', 'no'],
  UnrecognizedClientException: ['credentials', 'no'],
  InvalidSignatureException: ['credentials', 'no'],
  RequestTimeTooSkewed: ['credentials', 'no'],
  RequestExpired: ['credentials', 'no'],
  MissingAuthenticationTokenException: ['credentials', 'no'],
  // Given up while it waited for a connection. The SDK cannot tell that from a reply that did not come; lean can.
  NeverSentError: ['timeout', 'no'],
  ConnectTimeoutError: ['timeout', 'no'],
};

/** Errors of the network before any byte of the request was sent. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
const MAYBE_SENT: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  // Undici's names of a connection that ended before the reply did.
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/** What DynamoDB says where it is one key's partition that carries no more, and not the table. */
const KEY_RANGE = /KeyRangeThroughputExceeded$/;

function isHotKey({ ThrottlingReasons, throttlingReasons = ThrottlingReasons }: SdkError): boolean {
  const reasons = throttlingReasons;
  return Array.isArray(reasons) && reasons.some(({ reason }) => typeof reason === 'string' && KEY_RANGE.test(reason));
}

interface SdkError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  /** DynamoDB calls them so in two of its errors, */
  readonly ThrottlingReasons?: readonly { readonly reason?: unknown }[];
  /** and so in ThrottlingException. */
  readonly throttlingReasons?: readonly { readonly reason?: unknown }[];
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Turns an error of either transport into a failure of the store. `table` is said in the message: it is what most often is wrong. */
export function failureFor(error: unknown, table: string, timeoutMs: number): StoreFailure {
  const [reason, applied] = meaningOf(error as SdkError);
  return new StoreFailure(reason, applied, messageFor(reason, error as SdkError, table, timeoutMs), { cause: error, table });
}

function meaningOf(error: SdkError): Meaning {
  if (isHotKey(error)) return ['hot-key', 'no'];
  const byName = typeof error.name === 'string' ? BY_NAME[error.name] : undefined;
  if (byName !== undefined) return byName;
  // Before the names: the SDK calls a reset connection a TimeoutError, too.
  if (NEVER_SENT.has(error.code)) return ['network', 'no'];
  if (MAYBE_SENT.has(error.code)) return ['network', 'unknown'];
  // What came was no whole reply, or none of DynamoDB's.
  if (error.name === 'SyntaxError' || error.name === 'ChecksumMismatch') return ['network', 'unknown'];
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return ['timeout', 'unknown'];
  if ((error.$metadata?.httpStatusCode ?? 0) >= 500) return ['server', 'unknown'];
  return ['refused', 'unknown'];
}

function messageFor(reason: FailureReason, error: SdkError, table: string, timeoutMs: number): string {
  const said = String(error.message ?? error);
  switch (reason) {
    case 'timeout':
      return `DynamoDB did not answer within ${timeoutMs} ms (table "${table}")`;
    case 'table-missing':
      return `there is no table "${table}" here; deploy the construct, or use createTable of @millrace/limiter/admin, and check region and endpoint`;
    case 'table-unusable':
      return `table "${table}" is not a table of Millrace, or not of this release: ${said}`;
    case 'access-denied':
      return `access to table "${table}" was denied: ${said}`;
    case 'credentials':
      return `no usable AWS credentials for table "${table}": ${said}`;
    case 'hot-key':
      return `one key of table "${table}" is throttled: ${said}`;
    case 'throttled':
      return `table "${table}" is throttled: ${said}`;
    default:
      return `request to table "${table}" failed: ${said}`;
  }
}
