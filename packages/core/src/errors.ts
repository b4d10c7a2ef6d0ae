import type { ErrorData } from './error-data.js';

/** Every reason for which Millrace throws. The set is closed: test `code`, never the message. */
export type ErrorCode =
  | 'VALIDATION'
  | 'RATE_LIMIT_EXCEEDED'
  | 'UNAVAILABLE'
  | 'LEASE_SETTLED'
  | 'CLOSED'
  | 'ABORTED'
  | 'ENTITY_NOT_FOUND'
  | 'ENTITY_EXISTS'
  | 'ENTITY_HAS_CHILDREN'
  | 'NAMESPACE_NOT_FOUND'
  | 'TABLE_NOT_FOUND'
  | 'TABLE_UNUSABLE'
  | 'ACCESS_DENIED'
  | 'CREDENTIALS'
  | 'SCHEMA_VERSION'
  | 'ENTITY_DISABLED'
  | 'NAMESPACE_STATE'
  | 'CONFLICT'
  | 'UNREADABLE_RECORD'
  | 'NOT_SEALED';

/** Base of all that Millrace throws. `code` says why, `cause` keeps what was underneath. */
export class MillraceError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name: string = 'MillraceError';
  readonly code: Code;
  /** What the error is about, as its code has it; see {@link ErrorData}. Errors with a class of their own have fields instead. */
  declare readonly data?: ErrorData[Code];

  constructor(code: Code, message: string, options?: { readonly cause?: unknown; readonly data?: ErrorData[Code] }) {
    super(message, options);
    this.code = code;
    // Only where there are any: an error that has fields of its own shows nothing more.
    if (options?.data !== undefined) this.data = options.data;
  }
}

/** True for every error of Millrace, also across duplicate copies of the package, where `instanceof` fails. */
export function isMillraceError(error: unknown): error is MillraceError {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'string' && 'millrace' in error;
}

/** True for an error of Millrace with this code; then its `data` is typed by it. */
export function hasErrorCode<Code extends ErrorCode>(error: unknown, code: Code): error is MillraceError<Code> {
  return isMillraceError(error) && error.code === code;
}

// The brand sits on the prototype: it costs no property per error and does not show when one is printed.
Object.defineProperty(MillraceError.prototype, 'millrace', { value: true });

/** The caller handed in something that can never work. Nothing was written. */
export class ValidationError extends MillraceError<'VALIDATION'> {
  override readonly name = 'ValidationError';
  /** What was looked at: `limit "rpm"`, `option "namespace"`. */
  readonly subject: string;
  /** The value that was refused, as it came. */
  readonly value: unknown;
  /** What would have been accepted. */
  readonly expected: string;

  constructor(subject: string, expected: string, value: unknown) {
    super('VALIDATION', `${subject} must be ${expected}, got ${describeValue(value)}`);
    this.subject = subject;
    this.expected = expected;
    this.value = value;
  }
}

const SHOWN_CHARACTERS = 60;

/** A value as it may stand in a message: short, on one line, with its type where that is not plain. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') {
    const shown = value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
    return `${JSON.stringify(shown)}${value.length > SHOWN_CHARACTERS ? ` (${value.length} characters)` : ''}`;
  }
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isMoment(value)) return Number.isNaN(value.getTime()) ? 'an invalid date' : value.toISOString();
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value);
    return keys.length === 0 ? 'an empty object' : `an object with ${keys.slice(0, 5).join(', ')}`;
  }
  return String(value);
}

/** True for a moment: it has no keys of its own, and would be shown as an empty object. The core knows no global of that name. */
function isMoment(value: unknown): value is { getTime(): number; toISOString(): string } {
  const { getTime, toISOString } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof getTime === 'function' && typeof toISOString === 'function';
}
