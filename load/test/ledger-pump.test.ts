import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { type LocalEngine, launchEngine } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishLedger, LedgerPump, openLedger } from '../src/node/ledger-pump.js';
import { readBooks } from '../src/node/read-books.js';
import { checkLedger } from '../src/plan/ledger.js';

const LONG_MS = 3_600_000;
const WORLD = { resources: { api: [Limit.perHour('rph', 1_000), Limit.perHour('tph', 100_000)] }, own: [], entities: [] };
let engine: LocalEngine;
beforeAll(async () => {
  engine = await launchEngine();
});
afterAll(() => engine?.close());

async function open(table: string): Promise<RateLimiter> {
  const { endpoint, region, credentials } = engine;
  await createTable({ table, endpoint, region, credentials });
  const limiter = await RateLimiter.open({ table, endpoint, region, credentials, requestTimeoutMs: 30_000, deadlineMs: 60_000 });
  await limiter.limits.setResource('api', WORLD.resources.api);
  return limiter;
}

async function used(limiter: RateLimiter): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) {
    const lease = await limiter.acquire(`key-${turn % 3}`, 'api', { rph: 1, tph: 50 });
    if (turn % 3 === 0) await lease.adjust({ tph: -20 });
    if (turn % 4 === 1) await lease.release();
    else await lease.commit();
  }
}

describe('the ledger of a run', () => {
  it.each([
    ['read at its end', 'ledger-short', 10_000],
    ['read along while it goes on', 'ledger-long', LONG_MS],
  ])('%s says to the token what the buckets say', async (_, table, durationMs) => {
    const limiter = await open(table);
    const pump = await LedgerPump.open(engine, table, durationMs);
    await used(limiter);

    const ledger = await pump.finish();
    const books = await readBooks({ connection: engine, table }, WORLD, Date.now());
    pump.close();
    await limiter.close();

    expect(books).toHaveLength(6);
    expect(books.reduce((sum, { net }) => sum + net, 0)).toBeGreaterThan(0);
    expect(checkLedger(books, ledger)).toMatchObject({ ok: true });
    expect(checkLedger(books, { ...ledger, books: ledger.books.slice(1) }).ok).toBe(false);
  });

  it('is none where the table has no stream', async () => {
    const client = new DynamoDBClient(engine);
    const key = { AttributeName: 'PK', AttributeType: 'S' } as const;
    await client.send(
      new CreateTableCommand({
        TableName: 'no-stream',
        AttributeDefinitions: [key],
        KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    client.destroy();

    await expect(LedgerPump.open(engine, 'no-stream', 1_000)).rejects.toThrow('has no stream');
    const why: string[] = [];
    const kept = await openLedger({ connection: engine, table: 'no-stream' }, 1_000);

    expect(await finishLedger(kept, (text) => void why.push(text))).toBeUndefined();
    expect(why).toEqual([expect.stringContaining('has no stream')]);
  });

  it('is left to the aggregator of a rig, whose table others load too', async () => {
    const { endpoint, region } = engine;

    expect(await openLedger({ connection: { endpoint, region }, table: 'of a rig' }, 1_000)).toContain('own aggregator');
  });

  it('says nothing where none is wanted', async () => {
    const why: string[] = [];

    expect(await finishLedger(undefined, (text) => void why.push(text))).toBeUndefined();
    expect(why).toEqual([]);
  });
});
