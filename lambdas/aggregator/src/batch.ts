import type { BucketStep, StreamRecord } from '@millrace/ledger';
import { stepOf } from '@millrace/ledger';
import { type AuditEntry, auditEntryOf } from './audit-entry.js';
import type { Metrics, Trouble } from './ports.js';
import { type BatchResponse, type EventRecord, sequenceOf, streamRecordOf } from './stream-event.js';

/** A record of the batch and what it brings. */
export interface Entry {
  readonly sequence: string;
  readonly record?: StreamRecord;
  readonly step?: BucketStep;
  readonly audit?: AuditEntry;
}

/** A batch, and which of its records are not done, and why. */
export class Batch {
  readonly entries: readonly Entry[];
  readonly #failed = new Set<Entry>();
  readonly #troubles = new Map<string, { trouble: Trouble; readonly entries: Set<Entry> }>();
  #poison = 0;

  /** Reads the records. One that cannot be read has failed; it takes no other down. */
  constructor(records: readonly EventRecord[]) {
    this.entries = records.map((raw) => this.#entryOf(raw));
  }

  get poison(): number {
    return this.#poison;
  }

  get failed(): number {
    return this.#failed.size;
  }

  hasFailed(entry: Entry): boolean {
    return this.#failed.has(entry);
  }

  /** Notes that records are not done. */
  fail(entries: Iterable<Entry>, what: Trouble['what'], error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    for (const entry of entries) {
      this.#failed.add(entry);
      this.#note(entry, what, message);
    }
  }

  /** Says each thing that went wrong once, however many records it met. */
  tell(metrics: Metrics): void {
    for (const { trouble, entries } of this.#troubles.values()) metrics.trouble({ ...trouble, records: entries.size });
  }

  /** All records that are not done, in their order, so that the first is Lambda's checkpoint. */
  response(): BatchResponse {
    const failed = this.entries.filter((entry) => this.#failed.has(entry));
    return { batchItemFailures: failed.map(({ sequence }) => ({ itemIdentifier: sequence })) };
  }

  #entryOf(raw: EventRecord): Entry {
    const sequence = sequenceOf(raw);
    try {
      const record = streamRecordOf(raw);
      const [step, audit] = [stepOf(record), auditEntryOf(record)];
      return { sequence, record, ...(step === undefined ? {} : { step }), ...(audit === undefined ? {} : { audit }) };
    } catch (error) {
      const entry = { sequence };
      this.#poison += 1;
      this.fail([entry], 'poison', error);
      return entry;
    }
  }

  #note(entry: Entry, what: Trouble['what'], message: string): void {
    const name = `${what}\n${message}`;
    const known = this.#troubles.get(name);
    if (known !== undefined) known.entries.add(entry);
    else {
      const eventId = entry.record?.eventId;
      const trouble = { what, message, records: 1, ...(eventId === undefined ? {} : { eventId }) };
      this.#troubles.set(name, { trouble, entries: new Set([entry]) });
    }
  }
}
