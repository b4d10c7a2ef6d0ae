import { checkInteger, checkKeys, checkName, ValidationError } from '@millrace/core';

/**
 * Prefetch: one write takes tokens ahead, and the next acquires of this process are served from memory, without a request.
 *
 * What is admitted in any interval of length w is at most C + r·(w + L), where C is the capacity, r the rate and L the
 * lifetime: tokens are admitted up to L after the table has counted them. A change of limits, or of an entity's place,
 * takes up to L longer to reach a process that holds a chunk. Other processes see its tokens as taken. A process that dies,
 * or a write none of whose tries is answered, leaks at most the chunk, which flows back at the limit's rate.
 *
 * A process that is frozen between two events (AWS Lambda) serves nothing from a chunk that is older than L by then. It
 * gives it back only when it is thawed, so keep L shorter than an invocation, or close the limiter at its end.
 */
export interface PrefetchOptions {
  /**
   * L: how long a chunk may serve, in milliseconds, from 10 to 60000. It pays where a process acquires of a bucket about
   * five times in that time, or more often; a bucket that is asked for less is not taken ahead from. @default 1000
   */
  readonly lifetimeMs?: number;
  /** The most tokens of one limit of one bucket that are held. @default what the demand and a tenth of what is left allow */
  readonly maxTokens?: number;
  /** The resources whose buckets are taken ahead from. @default all */
  readonly resources?: readonly string[];
}

/** The options, checked, with what is left out filled in. */
export interface PrefetchSettings {
  readonly lifetimeMs: number;
  readonly maxTokens: number;
  /** All where there are none. */
  readonly resources?: ReadonlySet<string>;
}

const KNOWN: readonly (keyof PrefetchOptions)[] = ['lifetimeMs', 'maxTokens', 'resources'];
const MAX_LIFETIME_MS = 60_000;
const MAX_TOKENS = 1_000_000_000_000;
const MAX_RESOURCES = 10_000;

/** Checks how to take ahead: `true` is with all defaults, undefined and `false` not at all. */
export function checkPrefetch(value: boolean | PrefetchOptions | undefined): PrefetchSettings | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return checkPrefetch({});
  checkKeys('option "prefetch"', value, KNOWN);
  const { lifetimeMs = 1_000, maxTokens = MAX_TOKENS, resources } = value;
  const checked = {
    lifetimeMs: checkInteger('option "prefetch.lifetimeMs"', lifetimeMs, 10, MAX_LIFETIME_MS),
    maxTokens: checkInteger('option "prefetch.maxTokens"', maxTokens, 1, MAX_TOKENS),
  };
  if (resources === undefined) return checked;
  if (!Array.isArray(resources) || resources.length === 0 || resources.length > MAX_RESOURCES) {
    throw new ValidationError('option "prefetch.resources"', `an array of 1 to ${MAX_RESOURCES} names of resources`, resources);
  }
  return { ...checked, resources: new Set(resources.map((name) => checkName('resource', name))) };
}
