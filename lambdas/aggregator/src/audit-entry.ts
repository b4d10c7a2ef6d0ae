import { gzipSync } from 'node:zlib';
import { ATTRIBUTE, auditPartition, numberAt, textAt, type WireItem } from '@millrace/core';
import { LedgerError, type StreamRecord } from '@millrace/ledger';

/** An administrative event on its way to the archive. */
export interface AuditEntry {
  readonly namespaceId: string;
  /** A ULID; the same event has the same one wherever it appears. */
  readonly id: string;
  readonly atMs: number;
  /** One line of JSON, the same for the same event. */
  readonly line: string;
}

const DETAILS = ['action', 'subject', 'resource', 'actor'] as const;
/** Values that are stored as JSON. */
const VALUES = ['before', 'after'] as const;

/**
 * The audit event that a record brings: when it is written, and once more when it has expired, for those that were
 * written before there was an archive. Undefined for all else: also for an event that somebody deletes, which a purge
 * does, and for the copy of it among those of its subject.
 *
 * @throws LedgerError if it is an event's, and cannot be read
 */
export function auditEntryOf(record: StreamRecord): AuditEntry | undefined {
  const { oldImage, newImage } = record;
  const image = oldImage === undefined ? newImage : record.isExpiry ? oldImage : undefined;
  if (image === undefined) return undefined;
  const partition = textAt(image, ATTRIBUTE.partitionKey) ?? '';
  const namespaceId = partition.split('/', 1)[0] ?? '';
  if (namespaceId === '' || partition !== auditPartition(namespaceId)) return undefined;
  const [id, atMs] = [textAt(image, ATTRIBUTE.sortKey), numberAt(image, ATTRIBUTE.createdAtMs)];
  if (!id || atMs === undefined || !isDate(atMs)) throw new LedgerError(record.eventId, 'it is an audit event without an id or a time');
  return { namespaceId, id, atMs, line: lineOf(image, namespaceId, id, atMs) };
}

/**
 * Where the archive keeps an event. One object for each event, named by nothing but the event itself: batches are cut
 * anew with every retry, so an object of many events could hold some of them twice. Events are rare; a put for each is
 * a cent for two thousand.
 */
export function archiveKey(prefix: string, { namespaceId, id, atMs }: AuditEntry): string {
  const date = new Date(atMs).toISOString().slice(0, 10);
  return `${prefix}date=${date}/namespace=${namespaceId}/${encodeURIComponent(id)}.json.gz`;
}

/** What the archive keeps of an event: a line of JSON, compressed. The same event gives the same bytes. */
export function archiveBody({ line }: AuditEntry): Uint8Array {
  return gzipSync(`${line}\n`, { level: 9 });
}

function lineOf(image: WireItem, namespaceId: string, id: string, atMs: number): string {
  const entry: Record<string, unknown> = { id, at: new Date(atMs).toISOString(), namespaceId };
  for (const name of DETAILS) entry[name] = textAt(image, name);
  for (const name of VALUES) entry[name] = parsed(textAt(image, name));
  return JSON.stringify(entry);
}

function parsed(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function isDate(atMs: number): boolean {
  return !Number.isNaN(new Date(atMs).getTime());
}
