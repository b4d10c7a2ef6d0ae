import {
  ATTRIBUTE,
  type AttributeValue,
  type BucketRef,
  checkSchemaVersion,
  limitAttribute,
  limitOfAttribute,
  parseBucketKey,
  type WireItem,
} from '@millrace/core';
import { type Counters, lower } from './counters.js';
import { LedgerError } from './ledger-error.js';
import type { BucketStep, LimitStep, StreamRecord } from './step.js';

/**
 * What a record says that a bucket has used; undefined where it says nothing of it: another kind of item, a write that
 * moved no counter, or a deletion. An expiry takes nothing back.
 *
 * @throws LedgerError if it is a bucket's, and cannot be read. What it counts is then unknown, so it must not be passed over.
 */
export function stepOf(record: StreamRecord): BucketStep | undefined {
  const { eventId, atMs, oldImage, newImage } = record;
  const image = newImage ?? oldImage;
  if (image === undefined) throw new LedgerError(eventId, 'it has neither an old nor a new image');
  const ref = bucketOf(eventId, image);
  if (ref === undefined || newImage === undefined) return undefined;
  if (!Number.isFinite(atMs)) throw new LedgerError(eventId, 'it does not say when it happened');

  const before = oldImage === undefined ? undefined : countersOf(eventId, oldImage);
  const after = countersOf(eventId, newImage);
  const limits = new Map<string, LimitStep>();
  for (const [limit, counters] of after.limits) {
    const step = limitStep(eventId, limit, before?.limits.get(limit), counters);
    if (step !== undefined) limits.set(limit, step);
  }
  const seq = { from: before?.seq ?? after.seq - 1, to: after.seq };
  if (seq.from > seq.to) throw new LedgerError(eventId, `the write number goes from ${seq.from} down to ${seq.to}`);
  return limits.size === 0 ? undefined : { ref, eraUs: after.eraUs, atMs, seq, limits };
}

function bucketOf(eventId: string, image: WireItem): BucketRef | undefined {
  const [partition, sort] = [image[ATTRIBUTE.partitionKey], image[ATTRIBUTE.sortKey]];
  if (partition === undefined || sort === undefined || !('S' in partition) || !('S' in sort)) {
    throw new LedgerError(eventId, 'its image has no key of ours');
  }
  const ref = parseBucketKey(partition.S, sort.S);
  if (ref === undefined && partition.S.split('/')[1] === 'b') throw new LedgerError(eventId, `"${partition.S}" is no bucket that we know`);
  return ref;
}

/** The counters of a bucket's image, read strictly: a reader that took what is missing for 0 would book a nonsense. */
function countersOf(eventId: string, image: WireItem) {
  const limits = new Map<string, Counters>();
  try {
    checkSchemaVersion('the bucket', Number(wholeOf(image, ATTRIBUTE.schemaVersion)));
    for (const attribute of Object.keys(image)) {
      const limit = limitOfAttribute(attribute);
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
