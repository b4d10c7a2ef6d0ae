import { type AbortSignalLike, checkInteger, checkKeys, checkLimits, checkName, type Limit, ValidationError } from '@millrace/core';
import type { Amounts, LimitSource } from './level.js';
import { RECORDING_KEYS, type RecordingOptions } from './recording.js';

/**
 * The limits of a call: one list for the entity and all its ancestors, or a function that says which hold for whom.
 * An ancestor for which it returns undefined is not limited.
 */
export type LimitsArgument = readonly Limit[] | ((entity: string) => readonly Limit[] | undefined);

/** What any call on a bucket may be told. */
export interface LimitsOptions {
  /** Limits that override those in the table, on every path. @default the limits stored in the table */
  readonly limits?: LimitsArgument;
}

/** What an acquire may be told. */
export interface AcquireOptions extends LimitsOptions, RecordingOptions {
  /** Ends the acquire; what it had taken is given back. */
  readonly signal?: AbortSignalLike;
  /**
   * What to do when the store cannot be reached: throw, or give a lease that says it is degraded.
   * @default what is stored for the namespace, else 'block'
   */
  readonly onUnavailable?: 'block' | 'allow';
  /**
   * How long to wait for tokens that are not there yet, in milliseconds, up to 30 days. One write reserves the place, first
   * come first served over all processes; an abort gives it back. Refused at once if the wait would be longer. @default 0
   */
  readonly waitMs?: number;
}

const LIMITS_KEYS = ['limits'] as const;
const ACQUIRE_KEYS = ['limits', 'signal', 'onUnavailable', 'waitMs', ...RECORDING_KEYS] as const;
const MAX_WAIT_MS = 30 * 86_400_000;
const MAX_AMOUNT = 1_000_000_000_000;

/** A call's arguments, checked. */
export interface Request {
  readonly entity: string;
  readonly resource: string;
  /** The limits that the call itself brought, which override what is stored; absent where it brought none. */
  readonly limitsOf?: LimitSource;
}

/** Checks who and what, and the limits. */
export function checkRequest(entity: unknown, resource: unknown, options: LimitsOptions): Request {
  checkKeys('options', options, LIMITS_KEYS);
  return requestOf(entity, resource, options.limits);
}

function requestOf(entity: unknown, resource: unknown, limits: LimitsArgument | undefined): Request {
  const names = { entity: checkName('entity', entity), resource: checkName('resource', resource) };
  return limits === undefined ? names : { ...names, limitsOf: limitSource(limits) };
}

/** Checks the arguments of an acquire. */
export function checkAcquire(entity: unknown, resource: unknown, options: AcquireOptions): Request {
  checkKeys('options', options, ACQUIRE_KEYS);
  const { signal, onUnavailable } = options;
  if (onUnavailable !== undefined && onUnavailable !== 'block' && onUnavailable !== 'allow') {
    throw new ValidationError('option "onUnavailable"', '"block" or "allow"', onUnavailable);
  }
  if (options.waitMs !== undefined) checkInteger('option "waitMs"', options.waitMs, 0, MAX_WAIT_MS);
  if (signal !== undefined && !isAbortSignal(signal)) throw new ValidationError('option "signal"', 'an AbortSignal', signal);
  return requestOf(entity, resource, options.limits);
}

function isAbortSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const signal = value as Partial<AbortSignalLike>;
  return (
    typeof signal.aborted === 'boolean' && typeof signal.addEventListener === 'function' && typeof signal.removeEventListener === 'function'
  );
}

/** Checks what is asked of each limit: whole numbers above zero, and at least one of them. */
export function checkAmounts(amounts: unknown): Amounts {
  checkObject('amounts', amounts);
  const copy = { ...(amounts as Amounts) };
  const limits = Object.keys(copy);
  if (limits.length === 0) throw new ValidationError('amounts', 'tokens of at least one limit ({ rpm: 1 })', amounts);
  for (let index = 0; index < limits.length; index += 1) {
    const limit = limits[index] as string;
    if (!isAmount(copy[limit], 1)) throw wrongAmount(`amount of "${limit}"`, copy[limit], 1);
  }
  return copy;
}

/** Checks the changes of an adjust: whole numbers, above zero to take more, below to give back, 0 for no change. */
export function checkDeltas(deltas: unknown): ReadonlyMap<string, number> {
  checkObject('adjustment', deltas);
  const changes = new Map<string, number>();
  for (const [limit, tokens] of Object.entries(deltas) as [string, unknown][]) {
    if (!isAmount(tokens, -MAX_AMOUNT)) throw wrongAmount(`adjustment of "${limit}"`, tokens, -MAX_AMOUNT);
    changes.set(limit, tokens);
  }
  return changes;
}

function checkObject(subject: string, value: unknown): asserts value is object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new ValidationError(subject, 'an object from names of limits to tokens ({ rpm: 1 })', value);
}

function isAmount(value: unknown, min: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= MAX_AMOUNT;
}

function wrongAmount(subject: string, value: unknown, min: number): ValidationError {
  return new ValidationError(subject, `a whole number of tokens from ${min} to ${MAX_AMOUNT}`, value);
}

function limitSource(limits: LimitsArgument): LimitSource {
  if (typeof limits !== 'function') {
    const checked = checkLimits('option "limits"', limits);
    return () => checked;
  }
  return (entity) => {
    const found = limits(entity);
    return found === undefined ? undefined : checkLimits(`limits of "${entity}"`, found);
  };
}
