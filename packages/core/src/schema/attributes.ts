/** Attribute names. They are short because DynamoDB bills them with each item. */
export const ATTRIBUTE = {
  partitionKey: 'PK',
  sortKey: 'SK',
  ttlSec: 'ttl',
  schemaVersion: 'v',
  seq: 'seq',
  configVersion: 'cv',
  layout: 'n',
  nextLayout: 'm',
  hintLayout: 'h',
  hintAtSec: 'ha',
  namespaceId: 'id',
  name: 'name',
  createdAtMs: 'at',
  parent: 'parent',
  parentVersion: 'pver',
  cascade: 'cascade',
  ancestors: 'ancestors',
  chargedCount: 'charged',
  childCount: 'children',
  version: 'ver',
  deleted: 'deleted',
  moving: 'moving',
  limits: 'limits',
  retired: 'retired',
  updatedAtMs: 'upd',
  mode: 'mode',
  reason: 'reason',
  onUnavailable: 'unavailable',
  closed: 'closed',
  managedBy: 'managed',
  policyManagedBy: 'pmanaged',
  state: 'state',
  deletedAtMs: 'del',
  writtenBy: 'by',
  eraUs: 'o',
  zone: 'zone',
  seqFrom: 'sa',
  seqTo: 'sb',
  windowName: 'w',
  amounts: 'amounts',
  meta: 'meta',
  eventName: 'key',
  eventId: 'event',
  degraded: 'degraded',
} as const;

const LIMIT_PREFIX = { tat: 't.', used: 'u.', returned: 'r.', scale: 'p.', seed: 's.', seedScale: 'z.' } as const;

const WINDOW_PREFIX = { usedFrom: 'ua.', usedTo: 'ub.', returnedFrom: 'ra.', returnedTo: 'rb.', birth: 'ob.' } as const;

/** The attribute of a usage window that keeps one counter of one limit, as it was at the window's first or last record. */
export function windowAttribute(part: keyof typeof WINDOW_PREFIX, limit: string): string {
  return WINDOW_PREFIX[part] + limit;
}

/** The limit whose use an attribute of a usage window keeps, if it keeps one. */
export function limitOfWindowAttribute(attribute: string): string | undefined {
  return attribute.startsWith(WINDOW_PREFIX.usedTo) ? attribute.slice(WINDOW_PREFIX.usedTo.length) : undefined;
}

/** The attribute of a slot for the name of a request. */
export function requestAttribute(slot: number): string {
  return `q${slot}`;
}

/** The attribute that keeps one number, or the scale, of one limit. A limit's name has no dot, so the prefix is never ambiguous. */
export function limitAttribute(part: keyof typeof LIMIT_PREFIX, limit: string): string {
  return LIMIT_PREFIX[part] + limit;
}

/** Whether an attribute of a bucket keeps something of a limit: their names alone have a dot behind one letter. */
export function isLimitAttribute(attribute: string): boolean {
  return attribute[1] === '.';
}

/** The limit whose arrival time, or another of its numbers, an attribute keeps, if it keeps one. */
export function limitOfAttribute(attribute: string, part: 'tat' | 'seed' | 'used' = 'tat'): string | undefined {
  const prefix = LIMIT_PREFIX[part];
  return attribute.startsWith(prefix) ? attribute.slice(prefix.length) : undefined;
}
