import { RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { type LocalEngine, launchEngine } from '@millrace/testing';

/** A table on an engine of its own, and limiters on it; all of them end with `close`. */
export interface OpenTable {
  readonly engine: LocalEngine;
  readonly table: string;
  readonly connection: Pick<RateLimiterOptions, 'table' | 'endpoint' | 'region' | 'credentials'>;
  open(options?: Partial<RateLimiterOptions>): Promise<RateLimiter>;
  close(): Promise<void>;
}

/** Starts the embedded engine and creates a table in it. */
export async function openTable(): Promise<OpenTable> {
  const engine = await launchEngine();
  const { endpoint, region, credentials } = engine;
  const connection = { table: 'millrace', endpoint, region, credentials };
  await createTable(connection);
  const limiters: RateLimiter[] = [];
  return {
    engine,
    table: connection.table,
    connection,
    async open(options = {}) {
      const limiter = await RateLimiter.open({ ...connection, ...options });
      limiters.push(limiter);
      return limiter;
    },
    async close() {
      await Promise.all(limiters.map((limiter) => limiter.close()));
      await engine.close();
    },
  };
}
