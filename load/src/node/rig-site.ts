import { RateLimiter } from '@millrace/limiter';
import type { Site } from './site.js';

/** A limiter on AWS that a rig loads. */
export interface RigSiteOptions {
  readonly table: string;
  /** The namespace that the run makes for itself. */
  readonly namespace: string;
  readonly env: NodeJS.ProcessEnv;
  readonly requestTimeoutMs: number;
}

/**
 * Goes to the table that a rig loads. The run has a namespace to itself, which is purged at its end; the table stays. Keys
 * are those that AWS's tools find.
 */
export async function openRigSite({ table, namespace, env, requestTimeoutMs }: RigSiteOptions): Promise<Site> {
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  if (region === undefined) throw new Error('no region: set AWS_REGION to the one of the stack');
  const endpoint = env['AWS_ENDPOINT_URL_DYNAMODB'] || env['AWS_ENDPOINT_URL'] || `https://dynamodb.${region}.amazonaws.com`;
  const connection = { endpoint, region };
  const options = { table, ...connection, requestTimeoutMs, deadlineMs: 3 * requestTimeoutMs };
  const administration = await RateLimiter.open(options);
  try {
    const { id: namespaceId } = await administration.namespaces.register(namespace);
    const limiter = await RateLimiter.open({ ...options, namespace });
    return {
      engine: 'dynamodb',
      connection,
      table,
      namespace,
      namespaceId,
      limiter,
      async close(keep) {
        await limiter.close();
        if (!keep) {
          await administration.namespaces.delete(namespace);
          await administration.namespaces.purge(namespace);
        }
        await administration.close();
      },
    };
  } catch (error) {
    await administration.close();
    throw error;
  }
}
