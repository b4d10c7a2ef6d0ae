import { MillraceError } from '@millrace/core';

/** A record of the stream that cannot be read. It must be set aside and never skipped in silence: what it counted is missing. */
export class LedgerError extends MillraceError<'UNREADABLE_RECORD'> {
  override readonly name = 'LedgerError';
  /** The id of the record, by which it is found where failed records go. */
  readonly eventId: string;

  constructor(eventId: string, message: string, options?: { readonly cause?: unknown }) {
    super('UNREADABLE_RECORD', `record ${eventId}: ${message}`, options);
    this.eventId = eventId;
  }
}
