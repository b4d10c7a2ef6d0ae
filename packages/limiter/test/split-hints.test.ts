import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type SplitHint, splitHintRequest } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineTable, launchTable } from './engine-table.js';

const LIMITS = [Limit.perMinute('rpm', 60_000)];

let here: EngineTable;
beforeAll(async () => {
  here = await launchTable();
});
afterAll(() => here.close());

/** How often a client splits a bucket that it writes to a few times, after a hint that another one has left on it. */
async function splitsAfter(entity: string, hint: SplitHint | undefined): Promise<number> {
  const limiter = await RateLimiter.open({ table: here.table, ...here.connection });
  const take = () => limiter.acquire(entity, 'gpt-4', { rpm: 1 }, { limits: LIMITS });
  await take();
  const { id } = (await limiter.namespaces.describe('default')) ?? { id: '' };
  if (hint !== undefined) {
    const request = splitHintRequest(here.table, { namespaceId: id, entity, resource: 'gpt-4', shard: 0 }, hint);
    await here.client.send(new UpdateItemCommand(request));
  }
  for (let turn = 0; turn < 5; turn += 1) await take();
  await limiter.close();
  return limiter.stats().splits;
}

describe('a hint that an item is too hot', () => {
  const nowSec = () => Math.floor(Date.now() / 1_000);

  it('is obeyed once: after the split it is one of another layout', async () => {
    expect(await splitsAfter('hinted', { layout: 1, atSec: nowSec() })).toBe(1);
  });

  it('is not obeyed when it is old, and without one nothing is split', async () => {
    expect(await splitsAfter('old', { layout: 1, atSec: nowSec() - 61 })).toBe(0);
    expect(await splitsAfter('unhinted', undefined)).toBe(0);
  });

  it('is not left on an item that has another layout, or is not there', async () => {
    await splitsAfter('split', { layout: 1, atSec: nowSec() });

    await expect(splitsAfter('other', { layout: 66, atSec: nowSec() })).rejects.toThrow('conditional');
    const absent = splitHintRequest(here.table, { namespaceId: 'n1', entity: 'nobody', resource: 'x', shard: 0 }, { layout: 1, atSec: 1 });
    await expect(here.client.send(new UpdateItemCommand(absent))).rejects.toThrow('conditional');
  });
});
