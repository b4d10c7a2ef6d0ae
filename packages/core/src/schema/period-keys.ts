import { instantMs, instantText } from '../instant.js';
import { escapeName, type ItemKey, unescapeName } from './keys.js';
import { WINDOW_TYPES, type WindowType } from './usage-keys.js';

/** A window of a resource in which somebody used something, and which nobody has sealed yet. */
export interface OpenPeriod {
  readonly namespaceId: string;
  readonly resource: string;
  readonly type: WindowType;
  readonly startMs: number;
  /** The first moment that is not in it any more. */
  readonly endMs: number;
}

/**
 * The mark of a period that is to be sealed when it is over. No list says what was used in a window, other than all of its
 * entities; the marks of a namespace lie in one partition in the order of their ends, so those that are due are one Query.
 */
export function openPeriodKey(period: OpenPeriod): ItemKey {
  return periodKey('open', period);
}

/** The mark of a period that is sealed, and whose ledger is still to be checked: named as the one before, in a partition of its own. */
export function uncheckedPeriodKey(period: OpenPeriod): ItemKey {
  return periodKey('unchecked', period);
}

function periodKey(kind: 'open' | 'unchecked', { namespaceId, resource, type, startMs, endMs }: OpenPeriod): ItemKey {
  return {
    partition: `${namespaceId}/${kind}`,
    sort: [instantText(endMs), type, instantText(startMs), escapeName(resource)].join('/'),
  };
}

/** Where the marks lie of the periods of a namespace that ended at a moment or before: up to a sort key. */
export function openPeriodsUntil(namespaceId: string, endMs: number): { readonly partition: string; readonly to: string } {
  return { partition: `${namespaceId}/open`, to: behindEnd(endMs) };
}

/** Where the marks lie of the periods of a namespace that ended at a moment or before, and whose ledger is to be checked. */
export function uncheckedPeriodsUntil(namespaceId: string, endMs: number): { readonly partition: string; readonly to: string } {
  return { partition: `${namespaceId}/unchecked`, to: behindEnd(endMs) };
}

/** The sign after the separator sorts behind all that begins at the same moment. */
function behindEnd(endMs: number): string {
  return `${instantText(endMs)}0`;
}

/** The period that a mark names, or undefined where the key names something else. */
export function parseOpenPeriod(key: ItemKey): OpenPeriod | undefined {
  return parsePeriod('open', key);
}

/** The period that the mark of {@link uncheckedPeriodKey} names, or undefined where the key names something else. */
export function parseUncheckedPeriod(key: ItemKey): OpenPeriod | undefined {
  return parsePeriod('unchecked', key);
}

function parsePeriod(expected: 'open' | 'unchecked', { partition, sort }: ItemKey): OpenPeriod | undefined {
  const [namespaceId, kind, ...more] = partition.split('/');
  const [end = '', typeText, start = '', resource, ...rest] = sort.split('/');
  if (kind !== expected || !namespaceId || !resource || more.length + rest.length > 0) return undefined;
  const [type, startMs, endMs] = [WINDOW_TYPES.find((known) => known === typeText), instantMs(start), instantMs(end)];
  if (type === undefined || startMs === undefined || endMs === undefined) return undefined;
  return { namespaceId, resource: unescapeName(resource), type, startMs, endMs };
}
