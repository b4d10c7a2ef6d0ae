import { Limit, RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionCounter } from './connection-counter.js';
import { type OpenTable, openTable } from './open-table.js';
import { TRANSPORTS } from './transport-world.js';

let table: OpenTable;
let counter: ConnectionCounter;
let endpoint: string;
beforeAll(async () => {
  table = await openTable();
  counter = new ConnectionCounter(table.connection.endpoint ?? '');
  endpoint = await counter.listen();
});
afterAll(async () => {
  counter.close();
  await table.close();
});

const [CALLERS, MOST] = [9, 3];

/** How many connections callers make, all of whom want another bucket at once. */
async function connectionsOf(options: Partial<Parameters<typeof RateLimiter.open>[0]>): Promise<number> {
  const limiter = await RateLimiter.open({ ...table.connection, endpoint, requestTimeoutMs: 60_000, deadlineMs: 60_000, ...options });
  const limits = [Limit.perMinute('rpm', 10)];
  const before = counter.opened;
  const calls = Array.from({ length: CALLERS }, (_, at) => limiter.acquire(`key-${at}`, 'api', { rpm: 1 }, { limits }));
  await Promise.all(calls);
  const after = counter.opened;
  await limiter.close();
  return after - before;
}

describe.each(TRANSPORTS)('a limiter by the %s transport', (transport) => {
  it('opens no more connections than it may, and every caller has its turn', async () => {
    expect(await connectionsOf({ transport, maxConnections: MOST })).toBeLessThanOrEqual(MOST);
    expect(await connectionsOf({ transport })).toBeGreaterThan(MOST);
  });
});
