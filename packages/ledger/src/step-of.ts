import {
  ATTRIBUTE,
  type AttributeValue,
  type BucketRef,
  checkSchemaVersion,
  limitAttribute,
  limitOfAttribute,
  parseBucketKey,
  parseMeterKey,
  type UsageSource,
  type WireItem,
} from '@millrace/core';
import { type Counters, lower } from './counters.js';
import { LedgerError } from './ledger-error.js';
import type { BucketStep, LimitStep, StreamRecord } from './step.js';

/**
 * What a record says that a bucket has used, or that a meter has counted; undefined where it says nothing of either: another
 * kind of item, a write that moved no counter, or a deletion. An expiry takes nothing back.
 *
 * @throws LedgerError if it is of one of them, and cannot be read. What it counts is then unknown, so it must not be passed over.
 */
export function stepOf(record: StreamRecord): BucketStep | undefined {
  const { eventId, atMs, oldImage, newImage } = record;
  const image = newImage ?? oldImage;
  if (image === undefined) throw new LedgerError(eventId, 'it has neither an old nor a new image');
  const place = placeOf(eventId, image);
  if (place === undefined || newImage === undefined) return undefined;
  const { ref, source } = place;
  if (!Number.isFinite(atMs)) throw new LedgerError(eventId, 'it does not say when it happened');

  const before = oldImage === undefined ? undefined : countersOf(eventId, oldImage, source);
  const after = countersOf(eventId, newImage, source);
  const limits = new Map<string, LimitStep>();
  for (const [limit, counters] of after.limits) {
    const step = limitStep(eventId, limit, before?.limits.get(limit), counters);
    if (step !== undefined) limits.set(limit, step);
  }
  // The number of a meter begins where its era does, and goes on by the events of a write; that of a bucket by one.
  const seq = { from: before?.seq ?? (source === 'events' ? after.eraUs : after.seq - 1), to: after.seq };
  if (seq.from > seq.to) throw new LedgerError(eventId, `the write number goes from ${seq.from} down to ${seq.to}`);
  // An event of no tokens is one, too; a write of a bucket that moved no counter is none's usage.
  if (limits.size === 0 && (source === 'buckets' || seq.from === seq.to)) return undefined;
  return { ref, ...(source === 'buckets' ? {} : { source }), eraUs: after.eraUs, atMs, seq, limits };
}

function placeOf(eventId: string, image: WireItem): { readonly ref: BucketRef; readonly source: UsageSource } | undefined {
  const [partition, sort] = [image[ATTRIBUTE.partitionKey], image[ATTRIBUTE.sortKey]];
  if (partition === undefined || sort === undefined || !('S' in partition) || !('S' in sort)) {
    throw new LedgerError(eventId, 'its image has no key of ours');
  }
  const meter = parseMeterKey(partition.S, sort.S);
  if (meter !== undefined) return { ref: meter, source: 'events' };
  const ref = parseBucketKey(partition.S, sort.S);
  if (ref !== undefined) return { ref, source: 'buckets' };
  if (partition.S.split('/')[1] === 'b') throw new LedgerError(eventId, `"${partition.S}" is no bucket that we know`);
  return undefined;
}

/** The counters of an image, of a bucket or a meter, read strictly: a reader that took what is missing for 0 would book a nonsense. */
function countersOf(eventId: string, image: WireItem, source: UsageSource) {
  const limits = new Map<string, Counters>();
  try {
    checkSchemaVersion(source === 'events' ? 'the meter' : 'the bucket', Number(wholeOf(image, ATTRIBUTE.schemaVersion)));
    for (const attribute of Object.keys(image)) {
      // A meter has no arrival times.
      const limit = limitOfAttribute(attribute, source === 'events' ? 'used' : 'tat');
      if (limit === undefined) continue;
      const [used, returned] = [wholeOf(image, limitAttribute('used', limit)), wholeOf(image, limitAttribute('returned', limit))];
      limits.set(limit, { used, returned });
    }
    const eraUs = image[ATTRIBUTE.eraUs] === undefined ? 0 : Number(wholeOf(image, ATTRIBUTE.eraUs));
    return { limits, eraUs, seq: Number(wholeOf(image, ATTRIBUTE.seq)) };
  } catch (cause) {
    throw new LedgerError(eventId, cause instanceof Error ? cause.message : 'unreadable', { cause });
  }
}

function wholeOf(image: WireItem, attribute: string): bigint {
  const value: AttributeValue | undefined = image[attribute];
  if (value === undefined || !('N' in value)) throw new Error(`"${attribute}" is no number`);
  if (!/^\d{1,38}$/.test(value.N)) throw new Error(`"${attribute}" is ${value.N}, which is no counter`);
  return BigInt(value.N);
}

function limitStep(eventId: string, limit: string, before: Counters | undefined, after: Counters): LimitStep | undefined {
  // Whatever creates a limit begins both counters at one base and moves at most one of them, so the lower one is the base.
  const base = lower(after.used, after.returned);
  const { used, returned } = before ?? { used: base, returned: base };
  if (used > after.used || returned > after.returned) throw new LedgerError(eventId, `a counter of "${limit}" goes down`);
  if (before !== undefined && used === after.used && returned === after.returned) return undefined;
  return { used: { from: used, to: after.used }, returned: { from: returned, to: after.returned }, isBirth: before === undefined };
}
