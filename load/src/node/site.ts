import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable, deleteTable } from '@millrace/limiter/admin';
import { type EngineName, type LocalEngine, launchEngine } from '@millrace/testing';
import type { World } from '../plan/scenario.js';

/** Where a run's DynamoDB is wanted. */
export interface SiteOptions {
  /** One that runs; absent where an engine is to be started. */
  readonly endpoint?: string;
  readonly engine?: EngineName;
  readonly env: NodeJS.ProcessEnv;
  readonly table: string;
  readonly requestTimeoutMs: number;
  /** The most connections of the limiter with the SDK. @default the limiter's own */
  readonly connections?: number;
}

/** How requests reach it. */
export interface Connection extends Pick<LocalEngine, 'endpoint' | 'region'> {
  /** Absent where AWS's tools find them. */
  readonly credentials?: LocalEngine['credentials'];
}

/** A DynamoDB with a table of the run's own in it. */
export interface Site {
  readonly engine: LocalEngine['name'] | 'dynamodb';
  readonly connection: Connection;
  readonly table: string;
  /** The namespace that the run has to itself. */
  readonly namespace: string;
  /** Its id, where others are in the table as well. */
  readonly namespaceId?: string;
  /** A limiter with the SDK, for administration and for the gateway. */
  readonly limiter: RateLimiter;
  /** Ends what was started, and takes the table away unless it is to be kept. */
  close(keep: boolean): Promise<void>;
}

const NAMESPACE = 'default';

/** How many entities are made at once. */
const MAKERS = 16;

/** Starts an engine, or goes to the one that is named, and makes a table. */
export async function openSite({ endpoint, engine, env, table, requestTimeoutMs, connections }: SiteOptions): Promise<Site> {
  const launched = await launchEngine({
    ...(engine === undefined ? {} : { engine }),
    env: endpoint === undefined ? env : { ...env, DYNAMODB_ENDPOINT: endpoint },
  });
  const { region, credentials } = launched;
  const connection = { endpoint: launched.endpoint, region, credentials };
  try {
    await createTable({ table, ...connection });
    const limiter = await RateLimiter.open({
      table,
      ...connection,
      requestTimeoutMs,
      deadlineMs: 3 * requestTimeoutMs,
      ...(connections === undefined ? {} : { maxConnections: connections }),
    });
    return {
      engine: launched.name,
      connection,
      table,
      namespace: NAMESPACE,
      limiter,
      async close(keep) {
        await limiter.close();
        if (!keep) await deleteTable({ table, ...connection });
        await launched.close();
      },
    };
  } catch (error) {
    await launched.close();
    throw error;
  }
}

/** Writes the limits and the entities of a world. */
export async function furnish(limiter: RateLimiter, { resources, own, entities }: World): Promise<void> {
  for (const [resource, limits] of Object.entries(resources)) await limiter.limits.setResource(resource, limits.map(Limit.of));
  for (const { entity, resource, limits } of own) await limiter.limits.setEntity(entity, resource, limits.map(Limit.of));
  const roots = entities.filter(({ parent }) => parent === undefined);
  for (const { id } of roots) await limiter.entities.create(id);
  // In their order, many at once: a parent comes before its children, and all children of one parent are alike.
  let waiting = entities.filter(({ parent }) => parent !== undefined);
  const made = new Set(roots.map(({ id }) => id));
  while (waiting.length > 0) {
    const ready = waiting.filter(({ parent }) => made.has(parent ?? '')).slice(0, MAKERS);
    if (ready.length === 0) throw new Error(`entity "${waiting[0]?.id}" has a parent that is not in the plan`);
    await Promise.all(ready.map(({ id, parent }) => limiter.entities.create(id, { parent: parent ?? '', cascade: true })));
    for (const { id } of ready) made.add(id);
    waiting = waiting.filter(({ id }) => !made.has(id));
  }
}
