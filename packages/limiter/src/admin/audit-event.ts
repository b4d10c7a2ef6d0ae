import { ATTRIBUTE, auditPartition, SCHEMA_VERSION } from '@millrace/core';
import { decodeTime, isValid } from 'ulid';
import type { Item, ItemWrite } from './item-table.js';

/** What was done; the set is closed. */
export type AuditAction =
  | 'entity.create'
  | 'entity.move'
  | 'entity.delete'
  | 'entity.control'
  | 'limits.set'
  | 'limits.delete'
  | 'policy.set'
  | 'bucket.reset'
  | 'bucket.grant'
  | 'namespace.register'
  | 'namespace.delete'
  | 'namespace.recover'
  | 'namespace.purge'
  | 'schema.migrate'
  | 'usage.repair'
  | 'usage.seal';

/** One administrative write, as it is remembered. */
export interface AuditEvent {
  /** A ULID: events sort by time. */
  readonly id: string;
  readonly at: Date;
  readonly action: AuditAction;
  /** What was written to: `entity/key-1`, `resource/gpt-4`, `system`, `namespace/default`. */
  readonly subject: string;
  readonly resource?: string;
  /** Who did it; absent where nobody said. */
  readonly actor?: string;
  /** What was there before, and after; absent where there was nothing. Cut with a mark where it was too large. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Events are kept for so long. */
const RETENTION_SEC = 365 * 86_400;
/** A value whose JSON is longer is cut: an event must never make a transaction too large. */
const MAX_VALUE_CHARACTERS = 4_096;

/**
 * The writes that leave an event: once among all events of the namespace and once among its subject's, since both are
 * asked for and an index over them would be one more thing to keep. They belong into the transaction of the change.
 */
export function auditWrites(namespaceId: string, event: Omit<AuditEvent, 'at'>, nowMs: number): readonly ItemWrite[] {
  const item = {
    [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
    // The time that its id says: a search by time goes by ids.
    [ATTRIBUTE.createdAtMs]: isValid(event.id) ? decodeTime(event.id) : Math.floor(nowMs),
    [ATTRIBUTE.ttlSec]: Math.floor(nowMs / 1000) + RETENTION_SEC,
    action: event.action,
    subject: event.subject,
    ...(event.resource === undefined ? {} : { resource: event.resource }),
    ...(event.actor === undefined ? {} : { actor: event.actor }),
    ...(event.before === undefined ? {} : { before: cut(event.before) }),
    ...(event.after === undefined ? {} : { after: cut(event.after) }),
  };
  return [auditPartition(namespaceId), auditPartition(namespaceId, event.subject)].map((partition) => ({
    kind: 'put',
    item: { [ATTRIBUTE.partitionKey]: partition, [ATTRIBUTE.sortKey]: event.id, ...item },
  }));
}

/** The event that an item holds. */
export function eventOf(item: Item): AuditEvent {
  const text = (name: string): string | undefined => (typeof item[name] === 'string' ? (item[name] as string) : undefined);
  const [resource, actor, before, after] = [text('resource'), text('actor'), text('before'), text('after')];
  return {
    id: text(ATTRIBUTE.sortKey) ?? '',
    at: new Date(Number(item[ATTRIBUTE.createdAtMs])),
    action: text('action') as AuditAction,
    subject: text('subject') ?? '',
    ...(resource === undefined ? {} : { resource }),
    ...(actor === undefined ? {} : { actor }),
    ...(before === undefined ? {} : { before: uncut(before) }),
    ...(after === undefined ? {} : { after: uncut(after) }),
  };
}

/** Values are kept as JSON: a map of DynamoDB has no room for what they may hold one day. */
function cut(value: unknown): string {
  const json = JSON.stringify(value);
  if (json.length <= MAX_VALUE_CHARACTERS) return json;
  return JSON.stringify({
    cut: true,
    characters: json.length,
    start: json.slice(0, MAX_VALUE_CHARACTERS / 2).replace(/[\ud800-\udbff]$/, ''),
  });
}

function uncut(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
