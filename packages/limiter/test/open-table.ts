import { RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { type EngineTable, launchTable } from './engine-table.js';

/** A table on an engine of its own, and limiters on it; all of them end with `close`. */
export interface OpenTable extends Pick<EngineTable, 'client' | 'table'> {
  readonly connection: Pick<RateLimiterOptions, 'table' | 'endpoint' | 'region' | 'credentials'>;
  open(options?: Partial<RateLimiterOptions>): Promise<RateLimiter>;
  close(): Promise<void>;
}

/** Starts the embedded engine and creates a table in it. */
export async function openTable(): Promise<OpenTable> {
  const launched = await launchTable();
  const connection = { table: launched.table, ...launched.connection };
  const limiters: RateLimiter[] = [];
  return {
    client: launched.client,
    table: launched.table,
    connection,
    async open(options = {}) {
      const limiter = await RateLimiter.open({ ...connection, ...options });
      limiters.push(limiter);
      return limiter;
    },
    async close() {
      await Promise.all(limiters.map((limiter) => limiter.close()));
      await launched.close();
    },
  };
}
