import { describeValue, type WireItem } from '@millrace/core';
import { LedgerError, type StreamRecord } from '@millrace/ledger';

/** What Lambda invokes the function with, as far as it is read. */
export interface StreamEvent {
  readonly Records: readonly EventRecord[];
}

/** A record as Lambda hands it over: DynamoDB's own JSON, with the time in seconds. */
export interface EventRecord {
  readonly eventID?: string;
  readonly userIdentity?: { readonly type?: string; readonly principalId?: string };
  readonly dynamodb?: {
    readonly ApproximateCreationDateTime?: number;
    readonly NewImage?: WireItem;
    readonly OldImage?: WireItem;
    readonly SequenceNumber?: string;
  };
}

/** What Lambda tells about an invocation, as far as it is asked. */
export interface InvocationContext {
  getRemainingTimeInMillis(): number;
}

/** The records that are not done. Lambda sends again all from the first of them on: it is its checkpoint. */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Who deletes what has expired. */
const EXPIRY_PRINCIPAL = 'dynamodb.amazonaws.com';

/** Checks what the function was invoked with: behind anything but a table's stream it can do nothing. */
export function checkEvent(event: unknown): StreamEvent {
  const records = (event as { readonly Records?: unknown } | null | undefined)?.Records;
  if (!Array.isArray(records)) throw new TypeError(`the event must have Records of a DynamoDB stream, got ${describeValue(event)}`);
  return event as StreamEvent;
}

/** How a failed record is named. One without a number cannot be named: an empty name makes Lambda send the whole batch again. */
export function sequenceOf(record: EventRecord): string {
  const { SequenceNumber: sequence } = record?.dynamodb ?? {};
  return typeof sequence === 'string' ? sequence : '';
}

/**
 * The record in the ledger's terms.
 *
 * @throws LedgerError if it is none of a stream with images
 */
export function streamRecordOf(record: EventRecord): StreamRecord {
  const eventId = typeof record?.eventID === 'string' ? record.eventID : '';
  const { dynamodb, userIdentity } = record ?? {};
  if (typeof dynamodb !== 'object' || dynamodb === null) throw new LedgerError(eventId, 'it has no "dynamodb" part');
  const { ApproximateCreationDateTime: atSec, OldImage: oldImage, NewImage: newImage } = dynamodb;
  for (const image of [oldImage, newImage]) {
    if (image !== undefined && !isImage(image)) throw new LedgerError(eventId, `an image of it is ${describeValue(image)}`);
  }
  return {
    eventId,
    // Whole seconds, also where a source tells more: a redelivery must never land in another window.
    atMs: typeof atSec === 'number' ? Math.floor(atSec) * 1_000 : Number.NaN,
    ...(oldImage === undefined ? {} : { oldImage }),
    ...(newImage === undefined ? {} : { newImage }),
    isExpiry: newImage === undefined && userIdentity?.type === 'Service' && userIdentity.principalId === EXPIRY_PRINCIPAL,
  };
}

function isImage(image: unknown): boolean {
  if (typeof image !== 'object' || image === null || Array.isArray(image)) return false;
  return Object.values(image).every((value) => typeof value === 'object' && value !== null);
}
