import { auditPartition, checkInteger, checkKeys, ValidationError } from '@millrace/core';
import { encodeTime, isValid, monotonicFactory } from 'ulid';
import type { Administration } from './administration.js';
import { type AuditEvent, eventOf } from './audit-event.js';
import { TABLE_NAMESPACE_ID } from './namespace-record.js';

/** Which events are asked for. */
export interface ListAuditOptions {
  /** Only those about one thing: `entity/<id>`, `resource/<name>`, `system`, `manifest/<name>`, `namespace/<name>`, `schema`. @default all of the namespace */
  readonly subject?: string;
  /** Events from this millisecond on… @default the first */
  readonly from?: Date;
  /** … and before this one, as in all ranges of usage. @default the last */
  readonly to?: Date;
  /** How many a page may hold, from 1 to 1,000. @default 100 */
  readonly pageSize?: number;
  /** The `next` of the page before, with the same options. */
  readonly after?: string;
  /** @default 'newest-first' */
  readonly order?: 'newest-first' | 'oldest-first';
}

/** A page of events. */
export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Hand it in as `after` to go on; absent on the last page. */
  readonly next?: string;
}

const SUBJECT = /^(?:(?:entity|resource|namespace|manifest)\/.+|system|schema)$/s;
const OF_THE_TABLE = /^(?:namespace\/|schema$)/;
const LAST_MS = 2 ** 48 - 1;

/** What administrators have done in a namespace. Events are written in the transaction of what they tell of, and kept for a year. */
export class AuditLog {
  readonly #parts: Pick<Administration, 'items' | 'namespaceId' | 'run'>;

  constructor(parts: Pick<Administration, 'items' | 'namespaceId' | 'run'>) {
    this.#parts = parts;
  }

  /**
   * Events, newest first unless told otherwise, a page at a time. One read for each page. Events about namespaces and about
   * the schema belong to the table: they are found by their subject, whatever namespace this is of.
   */
  async list(options: ListAuditOptions = {}): Promise<AuditPage> {
    const { subject, pageSize, order, after } = checkList(options);
    const range = rangeOf(options);
    return this.#parts.run('list audit events', async () => {
      const namespaceId = subject !== undefined && OF_THE_TABLE.test(subject) ? TABLE_NAMESPACE_ID : this.#parts.namespaceId;
      const page = await this.#parts.items.query({
        partition: auditPartition(namespaceId, subject),
        ...range,
        ...(after === undefined ? {} : { after }),
        newestFirst: order === 'newest-first',
        pageSize,
      });
      return { events: page.items.map(eventOf), ...(page.next === undefined ? {} : { next: page.next }) };
    });
  }
}

/** Makes ids of events: ULIDs by the given time. Each is larger than all before, also within a millisecond or if time goes back. */
export function eventIds(nowMs: () => number): () => string {
  const next = monotonicFactory();
  return () => next(Math.max(1, Math.floor(nowMs())));
}

function checkList(options: ListAuditOptions): Pick<ListAuditOptions, 'subject' | 'after'> & { pageSize: number; order: string } {
  checkKeys('options', options, ['subject', 'from', 'to', 'pageSize', 'after', 'order']);
  const { subject, after, order = 'newest-first' } = options;
  if (subject !== undefined && (typeof subject !== 'string' || !SUBJECT.test(subject))) {
    const known = '"entity/<id>", "resource/<name>", "system", "manifest/<name>", "namespace/<name>" or "schema"';
    throw new ValidationError('option "subject"', known, subject);
  }
  if (after !== undefined && (typeof after !== 'string' || !isValid(after))) {
    throw new ValidationError('option "after"', 'the "next" of a page of events', after);
  }
  if (order !== 'newest-first' && order !== 'oldest-first') {
    throw new ValidationError('option "order"', '"newest-first" or "oldest-first"', order);
  }
  return {
    ...(subject === undefined ? {} : { subject }),
    ...(after === undefined ? {} : { after }),
    order,
    pageSize: checkInteger('option "pageSize"', options.pageSize ?? 100, 1, 1_000),
  };
}

/** A ULID begins with its time, and the time alone sorts before all ids of it: so a range of times is one of ids, without its end. */
function rangeOf({ from, to }: ListAuditOptions): { readonly from?: string; readonly to?: string } {
  const [fromMs, toMs] = [timeOf('from', from), timeOf('to', to)];
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) {
    throw new ValidationError('option "to"', `not before "from", ${from?.toISOString()}`, to);
  }
  return {
    ...(fromMs === undefined ? {} : { from: encodeTime(fromMs) }),
    ...(toMs === undefined ? {} : { to: encodeTime(toMs) }),
  };
}

function timeOf(option: 'from' | 'to', time: Date | undefined): number | undefined {
  if (time === undefined) return undefined;
  const ms = time instanceof Date ? time.getTime() : Number.NaN;
  if (!(ms >= 0 && ms <= LAST_MS)) throw new ValidationError(`option "${option}"`, 'a date since 1970', time);
  return ms;
}
