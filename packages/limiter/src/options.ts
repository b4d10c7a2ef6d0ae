import { type Clock, checkInteger, checkKeys, checkName, MAX_SHARDS, ValidationError } from '@millrace/core';
import { checkActor } from './admin/administration.js';
import { type BillingOptions, type BillingSettings, checkBilling } from './billing/billing-options.js';
import { type ConnectionOptions, checkTableName, MAX_CONNECTIONS } from './dynamo/client.js';
import { checkTransport, type TransportName } from './dynamo/open-transport.js';
import { checkHedging, checkPrefetch, type HedgingOptions, type PrefetchOptions, type PrefetchSettings } from './engine/index.js';

/** How a limiter is opened. All but `table` is optional. */
export interface RateLimiterOptions extends ConnectionOptions {
  /** The name of the table. */
  readonly table: string;
  /** @default 'default' */
  readonly namespace?: string;
  /**
   * How acquires are sent: `lean` without the AWS SDK, for a fraction of the CPU, with the SDK's credentials, region and
   * endpoint; `sdk` through it. Administration always goes through the SDK. @default 'lean'; 'sdk' beside `client`, always
   */
  readonly transport?: TransportName;
  /**
   * The most connections to DynamoDB at once; a request that finds none free waits for one, within its time. Administration
   * has as many of its own where acquires are sent `lean`. Not beside `client`, which has its own. @default 256
   */
  readonly maxConnections?: number;
  /** @default the system's time */
  readonly clock?: Clock;
  /**
   * Whether the clock is held against the times that DynamoDB's replies say, and corrected where they prove it wrong by more
   * than 250 ms; a warning tells so once, and `stats().clock` shows it. @default true, and false beside `clock`
   */
  readonly clockCorrection?: boolean;
  /** How long one request to DynamoDB may take, in milliseconds. @default 1000 */
  readonly requestTimeoutMs?: number;
  /** How long one call may go on sending requests, in milliseconds. @default 3000 */
  readonly deadlineMs?: number;
  /** Who administers through this limiter, for the audit log. @default nobody is named */
  readonly actor?: string;
  /** How long what was read of limits and entities is believed, in milliseconds; 0 reads each time. @default 60000 */
  readonly configTtlMs?: number;
  /** How many buckets, and how many items of limits and entities, are remembered. @default 10000 */
  readonly maxEntries?: number;
  /** How many acquires may wait for their turn (`waitMs`) at once; one more is refused at once. @default 10000 */
  readonly maxWaiters?: number;
  /**
   * Sends a debit a second time that is slower than 95 of 100 of this process's latest writes, and takes whichever answer
   * comes first; it counts once. Each second copy costs a write unit: at most 5 % more, or what `budget` says. Never credits.
   *
   * @default false
   */
  readonly hedging?: boolean | HedgingOptions;
  /**
   * Takes tokens ahead, so that most acquires of a busy bucket need no request; what that means for the bound on what is
   * admitted is said at {@link PrefetchOptions}. @default false
   */
  readonly prefetch?: boolean | PrefetchOptions;
  /**
   * Over how many items a bucket may be spread that one of DynamoDB's partitions does not carry; 1 never spreads one that
   * is not spread yet. @default 32
   */
  readonly maxShards?: number;
  /** Records each committed lease on some resources, to bill by: see {@link BillingOptions}. @default none */
  readonly billing?: BillingOptions;
}

const KNOWN: readonly (keyof RateLimiterOptions)[] = [
  'table',
  'namespace',
  'endpoint',
  'region',
  'credentials',
  'client',
  'transport',
  'maxConnections',
  'clock',
  'clockCorrection',
  'actor',
  'requestTimeoutMs',
  'deadlineMs',
  'configTtlMs',
  'maxEntries',
  'maxWaiters',
  'hedging',
  'prefetch',
  'maxShards',
  'billing',
];
export const HOUR_MS = 3_600_000;
const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() };

/** The options, checked, with what is left out filled in; how to connect is checked where it is done. */
export type CheckedOptions = Required<Omit<RateLimiterOptions, keyof ConnectionOptions | 'actor' | 'prefetch' | 'billing'>> & {
  readonly actor: string | undefined;
  readonly prefetch: PrefetchSettings | undefined;
  readonly billing: BillingSettings | undefined;
};

/** Checks how a limiter is opened. */
export function checkOptions(options: RateLimiterOptions): CheckedOptions {
  checkKeys('options', options, KNOWN);
  const { table, clock = SYSTEM_CLOCK } = options;
  if (typeof clock !== 'object' || clock === null || typeof clock.nowMs !== 'function') {
    throw new ValidationError('option "clock"', 'an object with nowMs()', clock);
  }
  const { clockCorrection = options.clock === undefined } = options;
  if (typeof clockCorrection !== 'boolean') throw new ValidationError('option "clockCorrection"', 'true or false', clockCorrection);
  return {
    table: checkTableName(table),
    transport: checkTransport(options.transport, options.client),
    maxConnections: checkConnections(options),
    clock,
    clockCorrection,
    actor: checkActor({ actor: undefined }, options.actor === undefined ? {} : { actor: options.actor }),
    namespace: checkName('namespace', options.namespace ?? 'default'),
    requestTimeoutMs: checkInteger('option "requestTimeoutMs"', options.requestTimeoutMs ?? 1_000, 1, HOUR_MS),
    deadlineMs: checkInteger('option "deadlineMs"', options.deadlineMs ?? 3_000, 1, HOUR_MS),
    configTtlMs: checkInteger('option "configTtlMs"', options.configTtlMs ?? 60_000, 0, HOUR_MS),
    maxEntries: checkInteger('option "maxEntries"', options.maxEntries ?? 10_000, 1, 10_000_000),
    maxWaiters: checkInteger('option "maxWaiters"', options.maxWaiters ?? 10_000, 0, 10_000_000),
    hedging: checkHedging(options.hedging) ?? false,
    prefetch: checkPrefetch(options.prefetch),
    billing: checkBilling(options.billing),
    maxShards: checkInteger('option "maxShards"', options.maxShards ?? MAX_SHARDS, 1, MAX_SHARDS),
  };
}

/** A client of the user's own has its own connections: a bound beside it would bound nothing. */
function checkConnections({ maxConnections, client }: RateLimiterOptions): number {
  if (maxConnections !== undefined && client !== undefined)
    throw new ValidationError('option "maxConnections"', 'left out beside "client", which has its own', maxConnections);
  return checkInteger('option "maxConnections"', maxConnections ?? MAX_CONNECTIONS, 1, 10_000);
}
