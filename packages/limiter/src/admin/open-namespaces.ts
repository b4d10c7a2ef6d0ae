import { checkKeys, SCHEMA_VERSION } from '@millrace/core';
import { publicError } from '../engine/index.js';
import { checkOptions, type RateLimiterOptions } from '../options.js';
import { openWorld, type World } from '../world.js';
import type { Administration } from './administration.js';
import { AuditLog } from './audit-log.js';
import { Calls } from './calls.js';
import { TABLE_NAMESPACE_ID } from './namespace-record.js';
import { Namespaces } from './namespaces.js';
import { isReadable, newerTable, readSchema } from './schema-record.js';

/** How the registry of a table is opened. All but `table` is optional. */
export type OpenNamespacesOptions = Omit<RateLimiterOptions, 'namespace' | 'configTtlMs' | 'maxEntries'>;

/** The registry of a table, for those who administer namespaces without opening one. */
export interface OpenNamespaces {
  readonly namespaces: Namespaces;
  /** What was done to the table: its namespaces and its schema. */
  readonly audit: AuditLog;
  /** Waits until running calls have ended. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const KNOWN = ['table', 'endpoint', 'region', 'credentials', 'client', 'clock', 'actor', 'requestTimeoutMs', 'deadlineMs'] as const;

/**
 * Opens the registry of namespaces. Reads one item, the schema's record, and creates nothing.
 *
 * @throws MillraceError `SCHEMA_VERSION` if the table is newer than this release can read, and as `RateLimiter.open`
 */
export async function openNamespaces(options: OpenNamespacesOptions): Promise<OpenNamespaces> {
  checkKeys('options', options, KNOWN);
  let world: World | undefined;
  try {
    // Nothing is sent by the transport of acquires, so the one that needs nothing more is taken.
    world = await openWorld(checkOptions({ ...options, transport: 'sdk' }), options);
    const version = (await readSchema(world.items))?.version ?? 0;
    if (version > SCHEMA_VERSION && !isReadable(version)) throw newerTable(world.table, version, SCHEMA_VERSION);
  } catch (error) {
    world?.connection.close();
    throw publicError(error);
  }
  const { items, parts, newEventId, actor, connection } = world;
  const calls = new Calls();
  const administration: Administration = {
    items,
    namespaceId: TABLE_NAMESPACE_ID,
    nowMs: () => parts.clock.nowMs(),
    newEventId,
    actor,
    onChange: () => undefined,
    run: (operation, work) => calls.run(operation, work),
  };
  const close = async (): Promise<void> => {
    await calls.end();
    connection.close();
  };
  return { namespaces: new Namespaces(administration), audit: new AuditLog(administration), close, [Symbol.asyncDispose]: close };
}
