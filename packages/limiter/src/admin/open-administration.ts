import { checkKeys } from '@millrace/core';
import { publicError } from '../engine/index.js';
import { checkOptions, type RateLimiterOptions } from '../options.js';
import { findNamespaceId, openWorld, type World } from '../world.js';
import type { Administration } from './administration.js';
import { Calls } from './calls.js';
import { FencedTable } from './fenced-table.js';

/** How a namespace is opened by those who only administer it. All but `table` is optional. */
export type OpenAdministrationOptions = Pick<
  RateLimiterOptions,
  'table' | 'namespace' | 'endpoint' | 'region' | 'credentials' | 'client' | 'clock' | 'actor' | 'requestTimeoutMs' | 'deadlineMs'
>;

/** A namespace as tools write to it. */
export interface OpenAdministration {
  readonly parts: Administration;
  /** Waits until running calls have ended. */
  close(): Promise<void>;
}

const KNOWN: readonly (keyof OpenAdministrationOptions)[] = [
  'table',
  'namespace',
  'endpoint',
  'region',
  'credentials',
  'client',
  'clock',
  'actor',
  'requestTimeoutMs',
  'deadlineMs',
];

/**
 * Opens a namespace without what acquires tokens: for tools that load it often and use it once. Reads one item, the
 * namespace's entry in the registry, and creates nothing. Throws what `RateLimiter.open` throws.
 */
export async function openAdministration(options: OpenAdministrationOptions): Promise<OpenAdministration> {
  checkKeys('options', options, KNOWN);
  let world: World | undefined;
  try {
    // Nothing is sent by the transport of acquires, so the one that needs nothing more is taken.
    world = await openWorld(checkOptions({ ...options, transport: 'sdk' }), options);
    const namespaceId = await findNamespaceId(world, world.namespace);
    const { items, parts, newEventId, actor, connection } = world;
    const calls = new Calls();
    return {
      parts: {
        items: new FencedTable(items, namespaceId),
        namespaceId,
        nowMs: () => parts.clock.nowMs(),
        newEventId,
        actor,
        onChange: () => undefined,
        run: (operation, work) => calls.run(operation, work),
      },
      async close() {
        await calls.end();
        connection.close();
      },
    };
  } catch (error) {
    world?.connection.close();
    throw publicError(error);
  }
}
