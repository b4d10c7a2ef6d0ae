import { ATTRIBUTE, MillraceError, numberAt, textAt, type WireItem } from '@millrace/core';
import type { Counters } from './counters.js';
import { stepOf } from './step-of.js';

/** What an item that the ledger counts by says now: a bucket's, or a meter's. */
export interface CountedState {
  readonly limits: ReadonlyMap<string, Counters>;
  /** Its write number. */
  readonly seq: number;
  readonly eraUs?: number;
  /** A moment, in seconds, before which it was last written to. */
  readonly writtenBeforeSec: number;
}

/**
 * What the meter of usage events that an item holds says. Its image is read as the stream's is, so the two never differ.
 *
 * @throws MillraceError `UNREADABLE_RECORD` if it holds none
 */
export function meterFromItem(item: WireItem): CountedState {
  const step = stepOf({ eventId: 'of the table', atMs: 0, newImage: item, isExpiry: false });
  const updatedAtMs = numberAt(item, ATTRIBUTE.updatedAtMs);
  if (step?.source !== 'events' || updatedAtMs === undefined) {
    const data = { partition: textAt(item, ATTRIBUTE.partitionKey) ?? '', sort: textAt(item, ATTRIBUTE.sortKey) ?? '' };
    throw new MillraceError('UNREADABLE_RECORD', 'the item is no meter of usage events', { data });
  }
  const limits = new Map([...step.limits].map(([limit, { used, returned }]) => [limit, { used: used.to, returned: returned.to }]));
  return { limits, seq: step.seq.to, eraUs: step.eraUs, writtenBeforeSec: Math.ceil(updatedAtMs / 1_000) };
}
