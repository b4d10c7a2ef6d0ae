import { type Sleep, USAGE_SOURCES, type UsageSource, ValidationError, WINDOW_TYPES, type WindowType } from '@millrace/core';
import { type LimitUsage as ExactUsage, totalUsage, type UsageWindowItem } from '@millrace/ledger';
import type { Administration } from '../admin/administration.js';
import { readZone } from '../admin/namespace-zone.js';
import type { Amounts } from '../engine/index.js';

/** What the parts of the usage ledger work with. */
export interface UsageParts extends Administration {
  readonly sleep: Sleep;
  /** Tokens that one request could take now; it throws where no limits are known. */
  readonly available: (entity: string, resource: string) => Promise<Amounts>;
  /** The zone in which the days of the namespace begin. */
  readonly zone: () => Promise<string>;
  /** Whose windows are read. @default those of buckets */
  readonly source?: UsageSource;
}

/** Whose windows are asked for. */
export interface SourceOptions {
  /**
   * `buckets`: what was taken, when it was taken. `events`: what was recorded of committed leases, when it was written, on resources
   * whose leases are recorded; then a window's `writes` are its events. @default 'buckets'
   */
  readonly source?: UsageSource;
}

export function checkSource({ source = 'buckets' }: SourceOptions): UsageSource {
  if (!USAGE_SOURCES.includes(source)) throw new ValidationError('option "source"', `one of ${USAGE_SOURCES.join(', ')}`, source);
  return source;
}

/** What was used of one limit, in tokens. */
export interface LimitUsage {
  /** What was taken. */
  readonly used: number;
  /** What was given back of it. */
  readonly returned: number;
  /** What was consumed: used less returned. Below 0 where more came back than was taken in the time. */
  readonly net: number;
}

/** Usage by limit. A limit that is not named used nothing. */
export type UsageByLimit = Readonly<Record<string, LimitUsage>>;

/** Reads the zone of a namespace once: it never changes. A read that failed is made again by who asks next. */
export function zoneOnce({ items, namespaceId }: Pick<Administration, 'items' | 'namespaceId'>): () => Promise<string> {
  let zone: Promise<string> | undefined;
  return () => {
    zone ??= readZone(items, namespaceId).catch((error: unknown) => {
      zone = undefined;
      throw error;
    });
    return zone;
  };
}

/** The sum of windows, in numbers: differences of counters are far below 2^53. */
export function usageByLimit(windows: Iterable<Pick<UsageWindowItem, 'limits'>>): UsageByLimit {
  return Object.fromEntries(
    [...totalUsage(windows)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([limit, usage]) => [limit, inNumbers(usage)]),
  );
}

export function inNumbers({ used, returned, net }: ExactUsage): LimitUsage {
  return { used: Number(used), returned: Number(returned), net: Number(net) };
}

export function checkWindowType(type: unknown, option = 'type'): WindowType {
  const known = WINDOW_TYPES.find((name) => name === type);
  if (known === undefined) throw new ValidationError(`option "${option}"`, `one of ${WINDOW_TYPES.join(', ')}`, type);
  return known;
}

/** Texts of later moments would sort before those of earlier ones. */
const LAST_MS = Date.UTC(9999, 11, 31);

export function checkMoment(option: string, moment: unknown): number {
  const ms = moment instanceof Date ? moment.getTime() : Number.NaN;
  if (!(ms >= 0 && ms <= LAST_MS)) throw new ValidationError(`option "${option}"`, 'a date from 1970 to 9999', moment);
  return ms;
}

/** Checks a half-open range of time. Windows begin in whole seconds, so those that begin in it are the same as from its next second on. */
export function checkRange({ from, to }: { readonly from: unknown; readonly to: unknown }): {
  readonly fromMs: number;
  readonly toMs: number;
} {
  const [fromMs, toMs] = [checkMoment('from', from), checkMoment('to', to)];
  if (fromMs > toMs) throw new ValidationError('option "to"', `not before "from", ${new Date(fromMs).toISOString()}`, to);
  return { fromMs: Math.ceil(fromMs / 1_000) * 1_000, toMs: Math.ceil(toMs / 1_000) * 1_000 };
}
